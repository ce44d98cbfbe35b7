/* SPDX-License-Identifier: ISC */
/*
 * One candidate: is it a regular file that may be executed, and neither
 * auto-shebang itself nor the script?
 *
 * All questions go to one O_PATH descriptor, so that the answers are about
 * one file.  "Itself" is known by inode, which covers hard and symbolic
 * links, and by a note in the program, which covers copies under another
 * name and other versions: two versions that find each other would hand
 * the script back and forth for ever.
 */
#include "shebang/shebang_int.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "aegsh/base/io.h"

#define PAGE_BYTES 4096		/* the head of a program that is looked at */
#define NOTES_BYTES 1024	/* of one note segment */
#define NOTE_ALIGN 4

bool
shebang_is_fatal(int errnum)
{
	return errnum == EMFILE || errnum == ENFILE || errnum == ENOMEM;
}

static size_t
note_pad(size_t n)
{
	return (n + NOTE_ALIGN - 1) / NOTE_ALIGN * NOTE_ALIGN;
}

static bool
notes_have_ours(const char *p, size_t len)
{
	while (len >= sizeof(ElfW(Nhdr))) {
		ElfW(Nhdr) h;
		size_t name, desc;

		memcpy(&h, p, sizeof h);
		p += sizeof h;
		len -= sizeof h;
		name = note_pad(h.n_namesz);
		desc = note_pad(h.n_descsz);
		if (name > len || desc > len - name)
			return false;
		if (h.n_type == SHEBANG_NOTE_TYPE &&
		    h.n_namesz == sizeof SHEBANG_NOTE_NAME &&
		    memcmp(p, SHEBANG_NOTE_NAME, h.n_namesz) == 0)
			return true;
		p += name + desc;
		len -= name + desc;
	}
	return false;
}

static bool
elf_has_note(int fd, const char *page, size_t size)
{
	char notes[NOTES_BYTES];
	ElfW(Ehdr) e;
	ElfW(Phdr) ph;
	size_t i, at;
	ssize_t n;

	if (size < sizeof e)
		return false;
	memcpy(&e, page, sizeof e);
	if (e.e_ident[EI_CLASS] != (sizeof(void *) == 8 ? ELFCLASS64 :
	    ELFCLASS32) || e.e_phentsize != sizeof ph || e.e_phoff > size)
		return false;
	for (i = 0; i < e.e_phnum; i++) {
		at = e.e_phoff + i * sizeof ph;
		if (at > size || size - at < sizeof ph)
			return false;
		memcpy(&ph, page + at, sizeof ph);
		if (ph.p_type != PT_NOTE || ph.p_align > NOTE_ALIGN)
			continue;
		n = pread(fd, notes, ph.p_filesz < sizeof notes ?
		    (size_t)ph.p_filesz : sizeof notes, (off_t)ph.p_offset);
		if (n > 0 && notes_have_ours(notes, (size_t)n))
			return true;
	}
	return false;
}

enum shebang_format
shebang_look(int fd, bool *ret_resolver)
{
	char page[PAGE_BYTES];
	ssize_t n = pread(fd, page, sizeof page, 0);

	*ret_resolver = false;
	if (n >= 2 && page[0] == '#' && page[1] == '!')
		return SHEBANG_SCRIPT;
	if (n < SELFMAG || memcmp(page, ELFMAG, SELFMAG) != 0)
		return SHEBANG_OTHER;
	*ret_resolver = elf_has_note(fd, page, (size_t)n);
	return SHEBANG_ELF;
}

bool
shebang_is_resolver(int fd)
{
	AEG_AUTOFD int readable = -1;
	bool resolver = false;
	struct stat st;

	/* Opening anything else could wait, or do something. */
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return false;
	readable = shebang_reopen(fd, -1, NULL);
	if (readable >= 0)
		shebang_look(readable, &resolver);
	return resolver;
}

/* Whether the kernel would start it for this process, mount options and
 * capabilities counted, as faccessat2(2) says; older kernels by way of
 * /proc. */
static int
may_execute(int fd)
{
	char proc[sizeof "/proc/self/fd/" + 3 * sizeof fd];

#ifdef SYS_faccessat2
	if (syscall(SYS_faccessat2, fd, "", X_OK,
	    AT_EMPTY_PATH | AT_EACCESS) == 0)
		return 0;
	/* EPERM: a container's filter that does not know the call. */
	if (errno != ENOSYS && errno != EPERM && errno != EINVAL)
		return -errno;
#endif
	snprintf(proc, sizeof proc, "/proc/self/fd/%d", fd);
	return faccessat(AT_FDCWD, proc, X_OK, AT_EACCESS) == 0 ? 0 : -errno;
}

static void
open_failed(const struct shebang_query *q, const char *path, int errnum,
    struct shebang_candidate *ret)
{
	struct stat st;

	if (errnum != ENOENT && errnum != ENOTDIR) {
		ret->verdict = SHEBANG_UNREACHABLE;
		ret->errnum = errnum;
	} else if (q->explain && lstat(path, &st) == 0) {
		ret->verdict = SHEBANG_DANGLING;
	}
}

static bool
is_file(const struct stat *st, dev_t dev, ino_t ino)
{
	return st->st_ino == ino && st->st_dev == dev;
}

int
shebang_candidate(const struct shebang_query *q, const struct stat *script,
    const char *path, struct shebang_candidate *ret)
{
	AEG_AUTOFD int fd = open(path, O_PATH | O_CLOEXEC);
	AEG_AUTOFD int readable = -1;
	bool resolver = false;
	struct stat st;
	int errnum;

	if (fd < 0 || fstat(fd, &st) < 0) {
		errnum = errno;
		open_failed(q, path, errnum, ret);
		return shebang_is_fatal(errnum) ? -errnum : 0;
	}
	if (!S_ISREG(st.st_mode)) {
		ret->verdict = SHEBANG_NOT_REGULAR;
		return 0;
	}
	/* A script can't be its own interpreter: an `auto-python' that is
	 * written in Python takes the next one up. */
	if (is_file(&st, q->self_dev, q->self_ino) || (script != NULL &&
	    is_file(&st, script->st_dev, script->st_ino))) {
		ret->verdict = is_file(&st, q->self_dev, q->self_ino) ?
		    SHEBANG_SELF : SHEBANG_OWN_SCRIPT;
		return 0;
	}
	if (may_execute(fd) < 0) {
		ret->verdict = SHEBANG_NOT_EXECUTABLE;
		return 0;
	}
	readable = shebang_reopen(fd, AT_FDCWD, path);
	if (shebang_is_fatal(-readable))
		return readable;
	/* Executable but not readable is fine for a program. */
	if (readable >= 0)
		ret->format = shebang_look(readable, &resolver);
	ret->verdict = resolver ? SHEBANG_RESOLVER : SHEBANG_TAKEN;
	if (!resolver) {
		ret->fd = fd;
		fd = -1;
	}
	return 0;
}

void
shebang_trace_candidate(const struct shebang_query *q, const char *path,
    const struct shebang_candidate *c)
{
	struct shebang_step step = { .kind = SHEBANG_STEP_CANDIDATE };

	step.text = path;
	step.verdict = c->verdict;
	step.errnum = c->errnum;
	shebang_trace(q, &step);
}
