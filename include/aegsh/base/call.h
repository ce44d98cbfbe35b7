/* SPDX-License-Identifier: ISC */
/* A system call that leaves errno alone: between clone(2) and execve(2) the
 * word in it may be that of a parent who shares our memory. */
#ifndef AEGSH_BASE_CALL_H
#define AEGSH_BASE_CALL_H

#include <sys/syscall.h>
#include <unistd.h>

#include "aegsh/base/err.h"

/* What the kernel says, or its negative error.  Where no way past the C
 * library is known here, errno is written all the same. */
static inline long
call_raw(long number, long a, long b, long c, long d)
{
#if defined(__x86_64__) && !defined(__ILP32__)
	register long r10 __asm__("r10") = d;
	long said;

	__asm__ volatile("syscall" : "=a" (said) : "a" (number), "D" (a),
	    "S" (b), "d" (c), "r" (r10) : "rcx", "r11", "memory");
	return said;
#elif defined(__aarch64__)
	register long x8 __asm__("x8") = number;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;

	__asm__ volatile("svc 0" : "+r" (x0) : "r" (x8), "r" (x1), "r" (x2),
	    "r" (x3) : "memory");
	return x0;
#else
	long said = syscall(number, a, b, c, d);

	return said < 0 ? err_failed() : said;
#endif
}

#endif
