/* SPDX-License-Identifier: ISC */
/*
 * Filters that ask somebody about system calls (seccomp_unotify(2)): the words
 * that they are written in, and what who is asked reads of who asks.
 */
#ifndef AEGSH_BASE_NOTIFY_H
#define AEGSH_BASE_NOTIFY_H

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* AUDIT_ARCH_… of this program; 0: none that is known, and no process is of
 * it. */
#if defined(__x86_64__)
#define NOTIFY_NATIVE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define NOTIFY_NATIVE AUDIT_ARCH_AARCH64
#elif defined(__riscv) && __riscv_xlen == 64
#define NOTIFY_NATIVE AUDIT_ARCH_RISCV64
#else
#define NOTIFY_NATIVE 0
#endif

/* Rows of struct sock_filter; yes and no: rows to be skipped. */
#define NOTIFY_FIELD(name) offsetof(struct seccomp_data, name)
#define NOTIFY_LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (field))
#define NOTIFY_EQUAL(k, yes, no) \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, k, yes, no)
#define NOTIFY_LEAST(k, yes, no) \
	BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, k, yes, no)
#define NOTIFY_ANY(k, yes, no) \
	BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, k, yes, no)
#define NOTIFY_RETURN(k) BPF_STMT(BPF_RET | BPF_K, k)

/* A string of a process's memory, with its NUL.  0; -errno; -ENAMETOOLONG:
 * there is none in size bytes. */
int notify_string(pid_t pid, uint64_t at, char *ret, size_t size)
	__attribute__((nonnull));

#endif
