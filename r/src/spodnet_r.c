/* What R calls: every function of spodnet.h, its results as R's lists. The library does the work in
 * a thread of its own; R is touched by R's thread alone. */
#include <spodnet.h>

#include <string.h>

#define R_NO_REMAP
#include <R.h>
#include <R_ext/Rdynload.h>
#include <Rinternals.h>

/* Interrupts and progress */

typedef struct {
  SEXP progress; /* function(what, fraction), or NULL */
  int failed;    /* it raised an error */
} Watch;

static void check_interrupt(void* unused) {
  (void)unused;
  R_CheckUserInterrupt();
}

static int watch(void* user, const char* what, double fraction) {
  Watch* state = user;
  if (!R_ToplevelExec(check_interrupt, NULL)) return 1;
  if (Rf_isNull(state->progress)) return 0;
  SEXP text = PROTECT(Rf_ScalarString(Rf_mkCharCE(what, CE_UTF8)));
  SEXP call = PROTECT(Rf_lang3(state->progress, text, PROTECT(Rf_ScalarReal(fraction))));
  R_tryEvalSilent(call, R_GlobalEnv, &state->failed);
  UNPROTECT(3);
  return state->failed;
}

/* Handles */

static void free_data(SEXP pointer) {
  spod_free_data(R_ExternalPtrAddr(pointer));
  R_ClearExternalPtr(pointer);
}

static void free_result(SEXP pointer) {
  spod_free_result(R_ExternalPtrAddr(pointer));
  R_ClearExternalPtr(pointer);
}

/* An empty handle, so that what a call makes is freed whatever happens next. */
static SEXP new_handle(R_CFinalizer_t finalizer) {
  SEXP pointer = PROTECT(R_MakeExternalPtr(NULL, R_NilValue, R_NilValue));
  R_RegisterCFinalizerEx(pointer, finalizer, TRUE);
  UNPROTECT(1);
  return pointer;
}

static void* address(SEXP pointer) {
  void* found = TYPEOF(pointer) == EXTPTRSXP ? R_ExternalPtrAddr(pointer) : NULL;
  if (!found)
    Rf_error("this object is from another session: only its numbers were kept; compute it again");
  return found;
}

/* list(status, message, handle, advice) */
static SEXP outcome(int status, const Watch* state, SEXP handle) {
  const int worked = status == SPOD_OK || status == SPOD_NUMERICAL;
  const char* message = worked ? "" : spod_error();
  const char* advice = worked || state->failed ? "" : spod_error_advice();
  if (state->failed) message = R_curErrorBuf(), status = SPOD_BAD_INPUT;
  SEXP out = PROTECT(Rf_allocVector(VECSXP, 4));
  SET_VECTOR_ELT(out, 0, Rf_ScalarInteger(status));
  SET_VECTOR_ELT(out, 1, Rf_ScalarString(Rf_mkCharCE(message, CE_UTF8)));
  SET_VECTOR_ELT(out, 2, handle);
  SET_VECTOR_ELT(out, 3, Rf_mkString(advice));
  UNPROTECT(1);
  return out;
}

static const char* text_of(SEXP x) { return Rf_translateCharUTF8(STRING_ELT(x, 0)); }

/* Calls */

static SEXP r_prepare(SEXP values, SEXP names, SEXP options, SEXP progress) {
  const size_t rows = (size_t)Rf_nrows(values), columns = (size_t)Rf_ncols(values);
  const char** names_utf8 = (const char**)R_alloc(columns, sizeof(char*));
  for (size_t j = 0; j < columns; ++j)
    names_utf8[j] = Rf_translateCharUTF8(STRING_ELT(names, (R_xlen_t)j));
  Watch state = {progress, 0};
  SEXP handle = PROTECT(new_handle(free_data));
  spod_data* data = NULL;
  const int status = spod_prepare(REAL(values), rows, columns, names_utf8, text_of(options), watch,
                                  &state, &data);
  R_SetExternalPtrAddr(handle, data);
  SEXP out = outcome(status, &state, handle);
  UNPROTECT(1);
  return out;
}

typedef int (*Call)(const spod_data*, const char*, spod_watch, void*, spod_result**);

static Call call_of(const char* name) {
  return strcmp(name, "estimate") == 0  ? spod_estimate
         : strcmp(name, "analyse") == 0 ? spod_analyse
         : strcmp(name, "compare") == 0 ? spod_compare
                                        : spod_difference;
}

static SEXP r_run(SEXP name, SEXP data, SEXP options, SEXP progress) {
  Watch state = {progress, 0};
  SEXP handle = PROTECT(new_handle(free_result));
  spod_result* result = NULL;
  const int status =
      call_of(text_of(name))(address(data), text_of(options), watch, &state, &result);
  R_SetExternalPtrAddr(handle, result);
  SEXP out = outcome(status, &state, handle);
  UNPROTECT(1);
  return out;
}

static SEXP r_model(SEXP file) {
  const Watch none = {R_NilValue, 0};
  SEXP handle = PROTECT(new_handle(free_result));
  spod_result* result = NULL;
  const int status = spod_model(text_of(file), &result);
  R_SetExternalPtrAddr(handle, result);
  SEXP out = outcome(status, &none, handle);
  UNPROTECT(1);
  return out;
}

/* Results */

static SEXP texts_of(spod_result* result, const char* name) {
  R_xlen_t count = 0;
  while (spod_text(result, name, (size_t)count)) ++count;
  SEXP out = PROTECT(Rf_allocVector(STRSXP, count));
  for (R_xlen_t k = 0; k < count; ++k)
    SET_STRING_ELT(out, k, Rf_mkCharCE(spod_text(result, name, (size_t)k), CE_UTF8));
  UNPROTECT(1);
  return out;
}

static SEXP numbers_of(const spod_result* result, const char* name) {
  size_t rows = 0, columns = 0;
  const double* values = spod_numbers(result, name, &rows, &columns);
  SEXP out = PROTECT(Rf_allocMatrix(REALSXP, (int)rows, (int)columns));
  if (rows * columns > 0) memcpy(REAL(out), values, rows * columns * sizeof(double));
  UNPROTECT(1);
  return out;
}

static SEXP named_list(spod_result* result, const char* names_of, int numbers) {
  SEXP names = PROTECT(texts_of(result, names_of));
  SEXP out = PROTECT(Rf_allocVector(VECSXP, XLENGTH(names)));
  for (R_xlen_t k = 0; k < XLENGTH(names); ++k) {
    const char* name = CHAR(STRING_ELT(names, k));
    SET_VECTOR_ELT(out, k, numbers ? numbers_of(result, name) : texts_of(result, name));
  }
  Rf_setAttrib(out, R_NamesSymbol, names);
  UNPROTECT(2);
  return out;
}

/* list(numbers, texts), each with names. */
static SEXP r_read(SEXP handle) {
  spod_result* result = address(handle);
  SEXP out = PROTECT(Rf_allocVector(VECSXP, 2));
  SET_VECTOR_ELT(out, 0, named_list(result, "numbers", 1));
  SET_VECTOR_ELT(out, 1, named_list(result, "texts", 0));
  UNPROTECT(1);
  return out;
}

static SEXP r_file(SEXP handle, SEXP name) { return texts_of(address(handle), text_of(name)); }

static SEXP r_write(SEXP handle, SEXP folder) {
  const Watch none = {R_NilValue, 0};
  return outcome(spod_write(address(handle), text_of(folder)), &none, R_NilValue);
}

static SEXP r_version(void) { return Rf_mkString(spod_version()); }

static const R_CallMethodDef methods[] = {
    {"C_prepare", (DL_FUNC)&r_prepare, 4}, {"C_run", (DL_FUNC)&r_run, 4},
    {"C_model", (DL_FUNC)&r_model, 1},     {"C_read", (DL_FUNC)&r_read, 1},
    {"C_file", (DL_FUNC)&r_file, 2},       {"C_write", (DL_FUNC)&r_write, 2},
    {"C_version", (DL_FUNC)&r_version, 0}, {NULL, NULL, 0}};

void R_init_spodnet(DllInfo* info) {
  R_registerRoutines(info, NULL, methods, NULL, NULL);
  R_useDynamicSymbols(info, FALSE);
  R_forceSymbols(info, TRUE);
}
