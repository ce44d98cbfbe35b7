/* SPDX-License-Identifier: ISC */
/*
 * What an image began with, as the kernel put it on its stack (execve(2),
 * getauxval(3)): from low to high the number of its words, where they and
 * the environment lie, the auxiliary vector, then the words, the environment
 * and the name that execve(2) was given.  /proc/PID/stat says where.
 *
 * All of it is read at once, where there are not too many words.
 */
#include "supervise_int.h"

#include <elf.h>
#include <errno.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

#include "aegsh/base/mem.h"
#include "aegsh/base/notify.h"

#define WHOLE ((size_t)64 * 1024)	/* bytes that are read at once */
#define AUXV_MAX 128			/* pairs */
/* What is judged of a program's words; execve(2) takes more only where
 * somebody raised the limit of the stack. */
#define ARGV_MAX ((size_t)2 * 1024 * 1024)

/* FNV-1a, and never 0. */
static uint64_t
number_of(const char *text)
{
	uint64_t n = 0xcbf29ce484222325U;

	for (; *text != '\0'; text++)
		n = (n ^ (unsigned char)*text) * 0x100000001b3U;
	return n != 0 ? n : 1;
}

/* As many bytes as there are. */
static ssize_t
read_memory(pid_t pid, uint64_t at, void *to, size_t size)
{
	struct iovec local = { to, size };
	struct iovec remote = { (void *)(uintptr_t)at, size };
	ssize_t n = process_vm_readv(pid, &local, 1, &remote, 1, 0);

	return n < 0 ? -errno : n;
}

/* The vector lies behind the second NULL.  Where in the text; 0: it is not
 * there. */
static size_t
find_random(const char *text, size_t len, uint64_t base)
{
	const size_t word = sizeof(ElfW(Addr));
	size_t at = word, nulls = 0;
	ElfW(auxv_t) aux;
	ElfW(Addr) p;

	for (; nulls < 2; at += word) {
		if (at + word > len)
			return 0;
		memcpy(&p, text + at, word);
		nulls += p == 0;
	}
	for (; at + sizeof aux <= len; at += sizeof aux) {
		memcpy(&aux, text + at, sizeof aux);
		if (aux.a_type == AT_NULL)
			break;
		if (aux.a_type == AT_RANDOM)
			return aux.a_un.a_val - base < len ?
			    (size_t)(aux.a_un.a_val - base) : 0;
	}
	return 0;
}

/* What the kernel remembers of the vector. */
static int
read_random(pid_t pid, unsigned char ret[16])
{
	ElfW(auxv_t) aux[AUXV_MAX];
	ssize_t n = sup_proc_file(pid, "auxv", (char *)aux, sizeof aux);
	size_t i;

	for (i = 0; n > 0 && i < (size_t)n / sizeof aux[0]; i++)
		if (aux[i].a_type == AT_RANDOM)
			return read_memory(pid, aux[i].a_un.a_val, ret, 16) ==
			    16 ? 0 : -EAGAIN;
	return n < 0 ? (int)n : -EAGAIN;
}

/* The name that execve(2) was given, of which n bytes are there.  A short one
 * ends with the page in which the environment does, where most stacks end:
 * looking further costs the kernel more than all of it. */
static void
set_said(pid_t pid, uint64_t at, const char *text, size_t n,
    struct sup_image *ret)
{
	size_t len = strnlen(text, n);

	if (len < n && len < sizeof ret->said)
		memcpy(ret->said, text, len + 1);
	else if (notify_string(pid, at, ret->said, sizeof ret->said) < 0)
		ret->said[0] = '\0';
}

static int
read_whole(pid_t pid, const struct sup_stat *stat, struct sup_image *ret)
{
	static char text[WHOLE + SUP_PAGE];
	const size_t end = (size_t)(stat->env_end - stat->stack);
	const size_t rest = SUP_PAGE - (size_t)stat->env_end % SUP_PAGE;
	ssize_t n = read_memory(pid, stat->stack, text, end + rest);
	const size_t size = sizeof ret->mark.random;
	size_t at;
	int rc = 0;

	if (n < 0 || (size_t)n < end)
		return n < 0 ? (int)n : -EAGAIN;
	at = find_random(text, end, stat->stack);
	if (at > 0 && at + size <= end)
		memcpy(ret->mark.random, text + at, size);
	else		/* it has moved its environment about */
		rc = read_random(pid, ret->mark.random);
	ret->argv = text + (stat->args - stat->stack);
	ret->argv_len = (size_t)(stat->args_end - stat->args);
	set_said(pid, stat->env_end, text + end, (size_t)n - end, ret);
	return rc;
}

static int
read_parts(pid_t pid, const struct sup_stat *stat, struct sup_image *ret)
{
	int rc = read_random(pid, ret->mark.random);
	uint64_t len = stat->args_end - stat->args;
	ssize_t n;

	if (rc < 0)
		return rc;
	ret->cut = len > ARGV_MAX;
	ret->argv_len = ret->cut ? ARGV_MAX : (size_t)len;
	ret->argv = ret->owned = xmalloc(ret->argv_len + 1);
	n = read_memory(pid, stat->args, ret->owned, ret->argv_len);
	if (n != (ssize_t)ret->argv_len)
		return n < 0 ? (int)n : -EAGAIN;
	rc = notify_string(pid, stat->env_end, ret->said, sizeof ret->said);
	if (rc == -ENAMETOOLONG)
		ret->said[0] = '\0';
	return rc == -ENAMETOOLONG ? 0 : rc;
}

int
sup_proc_image(pid_t pid, struct sup_stat stat, struct sup_image *ret)
{
	ssize_t n;

	ret->mark = (struct sup_mark){ .file = 0 };
	ret->exe[0] = ret->said[0] = '\0';
	ret->owned = NULL;
	ret->argv = "";
	ret->argv_len = 0;
	ret->cut = false;
	n = sup_proc_link(pid, "exe", ret->exe, sizeof ret->exe);
	if (n < 0)
		return (int)n;
	ret->mark.file = number_of(ret->exe);
	if (stat.stack == 0)
		return -EACCES;
	if (stat.args < stat.stack || stat.args_end <= stat.args ||
	    stat.env_end < stat.args_end)
		return -EAGAIN;
	return stat.env_end - stat.stack <= WHOLE ?
	    read_whole(pid, &stat, ret) : read_parts(pid, &stat, ret);
}

void
sup_image_done(struct sup_image *m)
{
	free(m->owned);
	m->owned = NULL;
}
