/* SPDX-License-Identifier: ISC */
#include "shebang/shebang_int.h"
#include "tap.h"

#include <elf.h>
#include <errno.h>
#include <link.h>
#include <stdlib.h>

#include "scratch.h"

#include "aegsh/base/mem.h"

static const struct stat *script;
static struct shebang_query query = { .cwd_fd = AT_FDCWD, .explain = true };

static enum shebang_verdict
look(const char *path, enum shebang_format *ret_format, int *ret_errnum)
{
	struct shebang_candidate c = SHEBANG_CANDIDATE_INIT;

	IS_INTN(shebang_candidate(&query, script, path, &c), 0, path);
	OKF((c.fd >= 0) == (c.verdict == SHEBANG_TAKEN),
	    "%s: a descriptor only when taken", path);
	if (c.fd >= 0)
		OKF((fcntl(c.fd, F_GETFD) & FD_CLOEXEC) != 0,
		    "%s: close-on-exec", path);
	if (c.fd >= 0)
		close(c.fd);
	*ret_format = c.format;
	*ret_errnum = c.errnum;
	return c.verdict;
}

static void
check(const char *name, enum shebang_verdict want, enum shebang_format format,
    int errnum)
{
	enum shebang_format got_format;
	char *path = scratch_path(name);
	int got_errnum;

	IS_INTN(look(path, &got_format, &got_errnum), want, name);
	IS_INTN(got_format, format, name);
	IS_INTN(got_errnum, errnum, name);
	free(path);
}

static void
test_kinds(void)
{
	char *path;

	scratch_write("script", "#!/bin/sh\n", 10, 0755);
	scratch_write("text", "hello\n", 6, 0755);
	scratch_write("empty", "", 0, 0755);
	scratch_write("plain", "#!/bin/sh\n", 10, 0644);
	scratch_mkdir("dir", 0755);
	path = scratch_path("fifo");
	if (mkfifo(path, 0755) < 0)
		scratch_die(path);
	free(path);
	path = scratch_path("loop");
	if (symlink("loop", path) < 0)
		scratch_die(path);
	free(path);
	path = scratch_path("dangling");
	if (symlink("nowhere", path) < 0)
		scratch_die(path);
	free(path);
	path = scratch_path("link");
	if (symlink("script", path) < 0)
		scratch_die(path);
	free(path);
	check("script", SHEBANG_TAKEN, SHEBANG_SCRIPT, 0);
	check("link", SHEBANG_TAKEN, SHEBANG_SCRIPT, 0);
	check("text", SHEBANG_TAKEN, SHEBANG_OTHER, 0);
	check("empty", SHEBANG_TAKEN, SHEBANG_OTHER, 0);
	check("plain", SHEBANG_NOT_EXECUTABLE, SHEBANG_OTHER, 0);
	check("dir", SHEBANG_NOT_REGULAR, SHEBANG_OTHER, 0);
	check("fifo", SHEBANG_NOT_REGULAR, SHEBANG_OTHER, 0);
	check("loop", SHEBANG_UNREACHABLE, SHEBANG_OTHER, ELOOP);
	check("dangling", SHEBANG_DANGLING, SHEBANG_OTHER, 0);
	check("none", SHEBANG_MISSING, SHEBANG_OTHER, 0);
	check("script/none", SHEBANG_MISSING, SHEBANG_OTHER, 0);
	query.explain = false;
	check("dangling", SHEBANG_MISSING, SHEBANG_OTHER, 0);
	query.explain = true;
}

static void
test_unreadable(void)
{
	scratch_write("secret", "#!/bin/sh\n", 10, 0111);
	scratch_mkdir("closed", 0755);
	scratch_write("closed/x", "#!/bin/sh\n", 10, 0755);
	if (geteuid() == 0) {
		SKIP(2, "root reads everything");
		return;
	}
	check("secret", SHEBANG_TAKEN, SHEBANG_OTHER, 0);
	scratch_mkdir("closed2", 0000);
	check("closed2/x", SHEBANG_UNREACHABLE, SHEBANG_OTHER, EACCES);
}

static void
test_self(void)
{
	char *path = scratch_path("script"), *hard = scratch_path("hard");
	struct stat st;

	if (stat(path, &st) < 0 || link(path, hard) < 0)
		scratch_die(path);
	query.self_dev = st.st_dev;
	query.self_ino = st.st_ino;
	check("script", SHEBANG_SELF, SHEBANG_OTHER, 0);
	check("link", SHEBANG_SELF, SHEBANG_OTHER, 0);
	check("hard", SHEBANG_SELF, SHEBANG_OTHER, 0);
	check("text", SHEBANG_TAKEN, SHEBANG_OTHER, 0);
	query.self_ino = st.st_ino + 1;
	check("script", SHEBANG_TAKEN, SHEBANG_SCRIPT, 0);
	query.self_dev = 0;
	query.self_ino = 0;
	script = &st;
	check("link", SHEBANG_OWN_SCRIPT, SHEBANG_OTHER, 0);
	check("hard", SHEBANG_OWN_SCRIPT, SHEBANG_OTHER, 0);
	check("text", SHEBANG_TAKEN, SHEBANG_OTHER, 0);
	script = NULL;
	free(hard);
	free(path);
}

/* A program head of one note segment, in parts that a row can spoil. */
struct program {
	ElfW(Ehdr) e;
	ElfW(Phdr) ph[2];
	char notes[96];
};

enum spoil {
	GOOD, FIRST_IS_OTHER, NAME, NAME_LEN, TYPE, NO_NOTE_SEGMENT, ALIGN_8,
	HUGE_NAME, HUGE_DESC, HUGE_NAMESZ_WRAP, PHOFF_FAR, PHNUM_MANY,
	PHENTSIZE, CLASS, OFFSET_FAR, FILESZ_HUGE, CUT_HEADER, CUT_NOTES
};

static size_t
put_note(char *to, const char *name, uint32_t namesz, uint32_t type,
    uint32_t descsz)
{
	ElfW(Nhdr) h = { .n_namesz = namesz, .n_descsz = descsz,
	    .n_type = type };

	memcpy(to, &h, sizeof h);
	memcpy(to + sizeof h, name, strlen(name) + 1);
	return sizeof h + (strlen(name) + 4) / 4 * 4 + 4;
}

static size_t
build(struct program *p, enum spoil spoil)
{
	const char *name = spoil == NAME ? "auto-shebanX" : SHEBANG_NOTE_NAME;
	uint32_t namesz = sizeof SHEBANG_NOTE_NAME, descsz = 4;
	size_t at = 0;

	memset(p, 0, sizeof *p);
	memcpy(p->e.e_ident, ELFMAG, SELFMAG);
	p->e.e_ident[EI_CLASS] = sizeof(void *) == 8 ? ELFCLASS64 :
	    ELFCLASS32;
	if (spoil == CLASS)
		p->e.e_ident[EI_CLASS] ^= ELFCLASS64 ^ ELFCLASS32;
	p->e.e_phoff = spoil == PHOFF_FAR ? (ElfW(Off))-8 :
	    offsetof(struct program, ph);
	p->e.e_phentsize = spoil == PHENTSIZE ? 1 : sizeof p->ph[0];
	p->e.e_phnum = spoil == PHNUM_MANY ? 0xffff : 2;
	p->ph[0].p_type = PT_LOAD;
	p->ph[1].p_type = spoil == NO_NOTE_SEGMENT || spoil == PHNUM_MANY ?
	    PT_NULL : PT_NOTE;
	p->ph[1].p_align = spoil == ALIGN_8 ? 8 : 4;
	p->ph[1].p_offset = spoil == OFFSET_FAR ? (ElfW(Off))-4096 :
	    offsetof(struct program, notes);
	p->ph[1].p_filesz = spoil == FILESZ_HUGE ? (ElfW(Xword))-1 :
	    sizeof p->notes;
	if (spoil == FIRST_IS_OTHER)
		at = put_note(p->notes, "GNU", 4, 3, 4);
	if (spoil == NAME_LEN)
		namesz--;
	if (spoil == HUGE_NAME)
		namesz = 0x10000;
	if (spoil == HUGE_NAMESZ_WRAP)
		namesz = 0xfffffffe;
	if (spoil == HUGE_DESC)
		descsz = 0xfffffff0;
	put_note(p->notes + at, name, namesz,
	    spoil == TYPE ? 2 : SHEBANG_NOTE_TYPE, descsz);
	if (spoil == CUT_HEADER)
		return sizeof p->e - 1;
	return spoil == CUT_NOTES ? offsetof(struct program, notes) + 20 :
	    sizeof *p;
}

static void
test_note(void)
{
	static const struct {
		enum spoil spoil;
		enum shebang_verdict want;
		const char *name;
	} rows[] = {
		{ GOOD, SHEBANG_RESOLVER, "good" },
		{ FIRST_IS_OTHER, SHEBANG_RESOLVER, "second" },
		{ FILESZ_HUGE, SHEBANG_RESOLVER, "filesz" },
		{ NAME, SHEBANG_TAKEN, "name" },
		{ NAME_LEN, SHEBANG_TAKEN, "namelen" },
		{ TYPE, SHEBANG_TAKEN, "type" },
		{ NO_NOTE_SEGMENT, SHEBANG_TAKEN, "segment" },
		{ ALIGN_8, SHEBANG_TAKEN, "align" },
		{ HUGE_NAME, SHEBANG_TAKEN, "hugename" },
		{ HUGE_DESC, SHEBANG_TAKEN, "hugedesc" },
		{ HUGE_NAMESZ_WRAP, SHEBANG_TAKEN, "wrap" },
		{ PHOFF_FAR, SHEBANG_TAKEN, "phoff" },
		{ PHNUM_MANY, SHEBANG_TAKEN, "phnum" },
		{ PHENTSIZE, SHEBANG_TAKEN, "phentsize" },
		{ CLASS, SHEBANG_TAKEN, "class" },
		{ OFFSET_FAR, SHEBANG_TAKEN, "offset" },
		{ CUT_HEADER, SHEBANG_TAKEN, "cutheader" },
		{ CUT_NOTES, SHEBANG_TAKEN, "cutnotes" },
	};
	struct program p;
	size_t i, len;

	for (i = 0; i < AEG_NELEM(rows); i++) {
		char *path = scratch_path(rows[i].name);
		int fd;

		len = build(&p, rows[i].spoil);
		scratch_write(rows[i].name, &p, len, 0755);
		check(rows[i].name, rows[i].want, SHEBANG_ELF, 0);
		fd = open(path, O_PATH | O_CLOEXEC);
		IS_INTN(shebang_is_resolver(fd),
		    rows[i].want == SHEBANG_RESOLVER, rows[i].name);
		close(fd);
		free(path);
	}
}

static void
test_is_resolver(void)
{
	char *path = scratch_path("fifo");
	int fd = open(path, O_PATH | O_CLOEXEC);

	/* A FIFO must not make it wait. */
	IS_INT(shebang_is_resolver(fd), false);
	close(fd);
	IS_INT(shebang_is_resolver(-1), false);
	free(path);
}

int
main(void)
{
	scratch_new();
	test_kinds();
	test_unreadable();
	test_self();
	test_note();
	test_is_resolver();
	OK(shebang_is_fatal(EMFILE) && !shebang_is_fatal(EACCES));
	return tap_done();
}
