/* SPDX-License-Identifier: ISC */
/*
 * Allocation that cannot fail (it ends the process with one line), cleanup
 * attributes, and the arena.  What an outsider sizes is capped by its
 * reader before any of these is called.
 */
#ifndef AEGSH_BASE_MEM_H
#define AEGSH_BASE_MEM_H

#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

void *xmalloc(size_t size) __attribute__((malloc, returns_nonnull));
void *xcalloc(size_t n, size_t size) __attribute__((malloc, returns_nonnull));
/* n * size with an overflow check. */
void *xreallocarray(void *p, size_t n, size_t size)
	__attribute__((returns_nonnull));
char *xstrdup(const char *s)
	__attribute__((malloc, returns_nonnull, nonnull));
/* len bytes and a NUL; the bytes may hold anything. */
char *xmemdup0(const void *p, size_t len)
	__attribute__((malloc, returns_nonnull));
char *xasprintf(const char *fmt, ...)
	__attribute__((malloc, returns_nonnull, format(printf, 1, 2)));
char *xvasprintf(const char *fmt, va_list ap)
	__attribute__((malloc, returns_nonnull, format(printf, 1, 0)));

/* AEG_AUTO(fn): call fn(&variable) when the variable leaves its scope. */
#define AEG_AUTO(fn) __attribute__((cleanup(fn)))

static inline void
mem_autofree(void *pp)
{
	free(*(void **)pp);
}
#define AEG_AUTOFREE AEG_AUTO(mem_autofree)

/* Move a pointer out of an AEG_AUTO variable. */
#define AEG_STEAL(p) \
	({ __typeof__(p) *steal_pp_ = &(p); \
	   __typeof__(p) steal_p_ = *steal_pp_; \
	   *steal_pp_ = NULL; steal_p_; })

#define AEG_NELEM(a) (sizeof(a) / sizeof((a)[0]))

/*
 * An arena: many small allocations freed together.  Memory comes zeroed
 * and aligned for any type.  arena_free() accepts NULL.
 */
struct arena;

struct arena *arena_new(void);
void arena_free(struct arena *a);
void *arena_alloc(struct arena *a, size_t size)
	__attribute__((returns_nonnull, nonnull));
char *arena_memdup0(struct arena *a, const void *p, size_t len)
	__attribute__((returns_nonnull));
char *arena_vprintf(struct arena *a, const char *fmt, va_list ap)
	__attribute__((returns_nonnull, format(printf, 2, 0)));
/* Grow an array from old_n to new_n elements (copies; the old one stays). */
void *arena_grow(struct arena *a, const void *old, size_t old_n, size_t new_n,
	size_t size) __attribute__((returns_nonnull));
/* Bytes handed out so far. */
size_t arena_used(const struct arena *a);

static inline void
arena_autofree(struct arena **a)
{
	arena_free(*a);
}

#endif
