#pragma once
// What the threads of a kernel may know of each other, for the thread sanitizer: with
// SPODNET_EMULATION_RACES it finds two that use a number without a barrier between them, in
// whatever order they ran. Without, nothing.
#ifdef SPODNET_EMULATION_RACES
extern "C" {
void* __tsan_get_current_fiber();
void* __tsan_create_fiber(unsigned flags);
void __tsan_switch_to_fiber(void* fiber, unsigned flags);
void __tsan_acquire(void* at);
void __tsan_release(void* at);
void __tsan_read8(void* at);
void __tsan_write8(void* at);
}
#endif

namespace spodnet::emulation {

#ifdef SPODNET_EMULATION_RACES
inline void* new_thread() { return __tsan_create_fiber(0); }
inline void* this_thread() { return __tsan_get_current_fiber(); }
inline void go_on_as(void* thread) { __tsan_switch_to_fiber(thread, 1); }  // 1: knows nothing new
/// Who acquires knows what was done before the releases.
inline void acquire(const void* at) { __tsan_acquire(const_cast<void*>(at)); }
inline void release(const void* at) { __tsan_release(const_cast<void*>(at)); }
inline void reads(const double* at) { __tsan_read8(const_cast<double*>(at)); }
inline void writes(double* at) { __tsan_write8(at); }
#else
inline void* new_thread() { return nullptr; }
inline void* this_thread() { return nullptr; }
inline void go_on_as(void*) {}
inline void acquire(const void*) {}
inline void release(const void*) {}
inline void reads(const double*) {}
inline void writes(double*) {}
#endif

}  // namespace spodnet::emulation
