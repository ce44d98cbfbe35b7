/* SPDX-License-Identifier: ISC */
/* The files of a group, and groups that are over. */
#include "cgroup_int.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "aegsh/base/buf.h"
#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/text.h"

#define SWEEP_MAX 4096		/* names that are looked at */

char *
cgroup_read(int dir, const char *name)
{
	AEG_AUTOFD int fd = openat(dir, name, O_RDONLY | O_CLOEXEC |
	    O_NOFOLLOW);
	AEG_AUTO(buf_done) struct buf text = BUF_INIT_MAX(CGROUP_TEXT_MAX);
	int rc;

	if (fd < 0)
		return NULL;
	rc = io_read_all(fd, &text);
	if (rc < 0) {
		errno = rc > -4096 ? -rc : EFBIG;
		return NULL;
	}
	buf_putc(&text, '\0');
	return buf_take(&text);
}

int
cgroup_write(int dir, const char *name, const char *text)
{
	AEG_AUTOFD int fd = openat(dir, name, O_WRONLY | O_CLOEXEC |
	    O_NOFOLLOW);

	/* The kernel takes it in one piece or not at all. */
	return fd < 0 ? -errno : io_write_full(fd, text, strlen(text));
}

uint64_t
cgroup_value(int dir, const char *name, const char *word)
{
	AEG_AUTOFREE char *text = cgroup_read(dir, name);
	size_t len = strlen(word);
	char *p, *line, *end;

	for (p = text; p != NULL && (line = strsep(&p, "\n")) != NULL;)
		if (strncmp(line, word, len) == 0 && line[len] == ' ') {
			uint64_t n = strtoull(line + len + 1, &end, 10);

			return *end == '\0' ? n : 0;
		}
	return 0;
}

/* The kernel counts with them whom it killed because the whole machine, or a
 * group around this one, had no memory left. */
uint64_t
cgroup_killed(int dir)
{
	return cgroup_value(dir, "memory.events", "oom") > 0 ?
	    cgroup_value(dir, "memory.events", "oom_kill") : 0;
}

unsigned
cgroup_words(int dir, const char *name)
{
	AEG_AUTOFREE char *text = cgroup_read(dir, name);
	unsigned found = 0;
	char *p, *word;

	for (p = text; p != NULL && (word = strsep(&p, " \n")) != NULL;)
		if (strcmp(word, "memory") == 0)
			found |= CGROUP_MEMORY;
		else if (strcmp(word, "pids") == 0)
			found |= CGROUP_PIDS;
	return found;
}

pid_t
cgroup_name_pid(const char *name, const char *prefix)
{
	char digits[16];
	int64_t pid;
	size_t len;

	if (!text_starts(name, prefix))
		return 0;
	name += strlen(prefix);
	len = strcspn(name, "-");
	if (len == 0 || len >= sizeof digits)
		return 0;
	memcpy(digits, name, len);
	digits[len] = '\0';
	return text_to_i64(digits, 1, INT32_MAX, &pid) == 0 ? (pid_t)pid : 0;
}

static DIR *
open_list(int dir)
{
	int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd >= 0 ? fdopendir(fd) : NULL;

	if (d == NULL)
		io_close(&fd);
	return d;
}

size_t
cgroup_count(int dir)
{
	DIR *d = open_list(dir);
	struct dirent *e;
	size_t n = 0;

	while (d != NULL && n < SWEEP_MAX && (e = readdir(d)) != NULL)
		n += e->d_type == DT_DIR && e->d_name[0] != '.';
	if (d != NULL)
		closedir(d);
	return n;
}

/* What is in it keeps it there: the kernel removes none that has processes. */
void
cgroup_sweep(int dir, pid_t self)
{
	DIR *d = open_list(dir);
	struct dirent *e;
	size_t seen = 0;
	pid_t pid;

	while (d != NULL && seen++ < SWEEP_MAX && (e = readdir(d)) != NULL) {
		pid = cgroup_name_pid(e->d_name, CGROUP_LINE);
		if (pid == 0)
			pid = cgroup_name_pid(e->d_name, CGROUP_OWN);
		if (pid > 0 && (pid == self || (kill(pid, 0) < 0 &&
		    errno == ESRCH)))
			(void)unlinkat(dir, e->d_name, AT_REMOVEDIR);
	}
	if (d != NULL)
		closedir(d);
}
