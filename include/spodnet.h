/* The C interface of spodnet: tables in; sparse precision matrices, graphs and tests out.
 * For C99 and every language that calls C. Link with what `pkg-config --libs spodnet` says.
 *
 * - Every function that works returns one of the statuses below. With SPOD_BAD_INPUT, SPOD_FAILED
 *   and SPOD_INTERRUPTED no handle is made, and spod_error() has one line that says what was wrong.
 * - Options are the text of one JSON object, such as "{\"method\": \"glasso-cv\", \"seed\": 1}";
 *   NULL and "" have none. Their names and defaults are those of the command (docs/c.md). One that
 *   is not known is refused.
 * - Text is UTF-8, matrices stand column by column, and a missing value is NaN.
 * - A handle is used by one thread at a time, and different handles by as many as you like. Nothing
 *   is printed, no thread is left behind, and no exception comes out.
 * - A function here keeps its meaning within one SPOD_INTERFACE; later versions may add some. */
#ifndef SPODNET_H
#define SPODNET_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SPOD_INTERFACE 1
int spod_interface(void);         /* SPOD_INTERFACE of the library that is linked */
const char* spod_version(void);   /* of the library, such as "0.3.0" */

enum {                            /* the exit statuses of the command */
  SPOD_OK = 0,
  SPOD_NUMERICAL = 1,             /* a result with numerical trouble: its text "message" says which */
  SPOD_BAD_INPUT = 2,             /* data or options that cannot be used */
  SPOD_FAILED = 3,                /* out of memory, or a fault of the library */
  SPOD_INTERRUPTED = 130          /* the watcher asked to stop */
};
const char* spod_error(void);     /* of this thread's last call that failed; "" before one */
const char* spod_error_advice(void);  /* a word for the setting that would help (docs/c.md), or "" */

typedef struct spod_data spod_data;       /* a table made ready for estimates */
typedef struct spod_result spod_result;   /* what an estimate, a graph or a test has found */

/* Called about 20 times a second in the thread that waits for the work, with what is being done and
 * which part of it is done (0 to 1). Anything but 0 stops the work. */
typedef int (*spod_watch)(void* user, const char* what, double fraction);

/* A table made ready: from numbers (column by column; names[columns], or NULL), from a file, or from
 * the text of a file called `name`. `watch` may be NULL, here and below. */
int spod_prepare(const double* values, size_t rows, size_t columns, const char* const* names,
                 const char* options, spod_watch watch, void* user, spod_data** data);
int spod_read(const char* file, const char* options, spod_watch watch, void* user,
              spod_data** data);
int spod_parse(const char* text, size_t bytes, const char* name, const char* options,
               spod_watch watch, void* user, spod_data** data);

/* What `spodnet estimate`, `graph`, `compare` and `difference` do. */
int spod_estimate(const spod_data* data, const char* options, spod_watch watch, void* user,
                  spod_result** result);
int spod_analyse(const spod_data* data, const char* options, spod_watch watch, void* user,
                 spod_result** result);
int spod_compare(const spod_data* data, const char* options, spod_watch watch, void* user,
                 spod_result** result);
int spod_difference(const spod_data* data, const char* options, spod_watch watch, void* user,
                    spod_result** result);

/* What a model file says of itself: the texts "model" (its kind), "keys" and "values". */
int spod_model(const char* file, spod_result** result);

/* Read by name. Numbers: NULL where there are none of this name; else *rows times *columns of them.
 * Texts: number `index` of a list, counted from 0; NULL behind its end. The lists "numbers",
 * "texts" and "files" have all names; files are texts made when they are read. Pointers hold until
 * the result is freed. */
const double* spod_numbers(const spod_result* result, const char* name, size_t* rows,
                           size_t* columns);
const char* spod_text(spod_result* result, const char* name, size_t index);

/* The files of the command, written into a folder: all of them or none. */
int spod_write(const spod_result* result, const char* folder);

void spod_free_data(spod_data* data);       /* NULL is let be */
void spod_free_result(spod_result* result);

#ifdef __cplusplus
}
#endif
#endif
