/* SPDX-License-Identifier: ISC */
/*
 * Rule files that are not in force yet: checked among all others, tried
 * against lines, and put in place by the operator.
 */
#include "policy_int.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "aegsh/base/hex.h"
#include "aegsh/base/io.h"
#include "aegsh/base/path.h"
#include "aegsh/base/text.h"
#include "aegsh/conf.h"

static int
read_text(int dir, const char *name, const char *shown, struct buf *ret,
	struct err *err)
{
	AEG_AUTOFD int fd = openat(dir, name, O_RDONLY | O_CLOEXEC |
	    O_NOCTTY | O_NONBLOCK);
	struct stat st;
	int rc;

	if (fd < 0 || fstat(fd, &st) < 0)
		return err_sys(err, errno, "%s", shown);
	if (!S_ISREG(st.st_mode))
		return err_set(err, ERR_TRUST, "%s: not a regular file",
		    shown);
	rc = io_read_all(fd, ret);
	if (rc == ERR_TOO_LONG)
		return err_set(err, rc, "%s: longer than %zu bytes", shown,
		    POL_SOURCE_MAX);
	return rc < 0 ? err_sys(err, -rc, "%s", shown) : 0;
}

/* All layers, the text in the place of the site's file of its name. */
static int
sources_with(const char *path, const struct buf *text,
	struct pol_sources *ret, struct err *err)
{
	int rc = pol_sources_read(NULL, ret, err);
	size_t k;

	if (rc < 0)
		return rc;
	/* One that is in place, of the vendor's too, stands for itself. */
	for (k = 0; k < ret->n; k++)
		if (strcmp(ret->v[k].path, path) == 0)
			return 0;
	pol_sources_drop_site(ret, path_base(path));
	pol_sources_add_text(ret, POL_SITE, path, text->data != NULL ?
	    text->data : "", text->len);
	pol_sources_hash(ret);
	return 0;
}

static int
compile_checked(const struct pol_sources *s, char **ret, size_t *ret_size,
	struct err *err)
{
	AEG_AUTOFREE char *blob = NULL;
	int rc = pol_compile(s, &blob, ret_size, err);

	if (rc == 0)
		rc = pol_examples_check(s, blob, *ret_size, err);
	if (rc == 0)
		*ret = AEG_STEAL(blob);
	return rc;
}

struct naming {
	const char *path;	/* the file that is checked */
	policy_sandbox_check *sandbox;
	struct err *err;
};

/* What other files name is no fault of this one. */
static int
check_sandbox(void *ctx, const char *profile, const char *sandbox,
	const char *file, unsigned line)
{
	struct naming *n = ctx;
	struct err why = ERR_INIT;
	int rc = strcmp(file, n->path) == 0 ? n->sandbox(sandbox, &why) : 0;

	if (rc >= 0)
		return 0;
	/* The name came from the file, not with a call. */
	return err_set(n->err, rc == ERR_CALLER ? ERR_UNKNOWN_NAME : rc,
	    "%s:%u: profile '%s': %s", file, line, profile, why.text);
}

static int
check_sandboxes(const char *path, policy_sandbox_check *sandbox, char *blob,
	size_t size, struct err *err)
{
	struct naming n = { path, sandbox, err };
	struct policy *p = NULL;
	int rc = pol_open(blob, size, NULL, &p, err);

	if (rc < 0)
		return rc;
	rc = policy_each_sandbox(p, check_sandbox, &n);
	policy_free(p);
	return rc;
}

static int
check(const char *path, policy_sandbox_check *sandbox, struct buf *text,
	uint8_t hash[32], struct err *err)
{
	AEG_AUTOFREE char *blob = NULL;
	struct pol_sources sources;
	size_t size;
	int rc = read_text(AT_FDCWD, path, path, text, err);

	if (rc == 0)
		rc = sources_with(path, text, &sources, err);
	if (rc < 0)
		return rc;
	rc = compile_checked(&sources, &blob, &size, err);
	if (rc == 0 && sandbox != NULL)
		rc = check_sandboxes(path, sandbox, AEG_STEAL(blob), size,
		    err);
	memcpy(hash, sources.hash, sizeof sources.hash);
	pol_sources_done(&sources);
	return rc;
}

int
policy_check_file(const char *path, policy_sandbox_check *sandbox,
	struct err *err)
{
	AEG_AUTO(buf_done) struct buf text = BUF_INIT_MAX(POL_SOURCE_MAX);
	uint8_t hash[32];

	return check(path, sandbox, &text, hash, err);
}

/* ---- put in place -------------------------------------------------------- */

/* One that is read at all, and that no shell would take for anything. */
static bool
is_good_name(const char *name)
{
	const char *p;

	for (p = name; *p != '\0'; p++)
		if (!isalnum((unsigned char)*p) && strchr("._-", *p) == NULL)
			return false;
	return name[0] != '.' && name[0] != '-' && text_ends(name, ".conf") &&
	    strlen(name) < 100;
}

static int
put(const char *place, const char *name, const struct buf *text,
	struct err *err)
{
	AEG_AUTOFD int dir = -1;
	int rc;

	rc = io_make_dirs(place, 0755);
	if (rc < 0)
		return err_sys(err, -rc, "%s", place);
	rc = conf_trust_dir(place, (uid_t)-1, &dir, err);
	if (rc < 0)
		return rc;
	rc = io_replace(dir, name, text->data, text->len, 0644);
	return rc < 0 ? err_sys(err, -rc, "%s/%s", place, name) : 0;
}

int
policy_install(const char *path, policy_sandbox_check *sandbox,
	char ret_hash[65], struct err *err)
{
	AEG_AUTO(buf_done) struct buf text = BUF_INIT_MAX(POL_SOURCE_MAX);
	AEG_AUTOFREE char *place = xasprintf("%s/policy.d", sysdirs()->conf);
	uint8_t hash[32];
	int rc;

	if (!is_good_name(path_base(path)))
		return err_set(err, ERR_CALLER, "%s: the name of a rule file "
		    "has letters, digits, '.', '_' and '-', and ends in "
		    ".conf", path);
	rc = check(path, sandbox, &text, hash, err);
	if (rc == 0)
		rc = put(place, path_base(path), &text, err);
	if (rc == 0)
		hex_text(hash, 32, ret_hash);
	return rc;
}

/* ---- tried --------------------------------------------------------------- */

static int
is_rule_file(const struct dirent *entry)
{
	return entry->d_name[0] != '.' && text_ends(entry->d_name, ".conf");
}

/* In the place of the whole layer. */
static int
add_directory(const char *path, int dir, struct pol_sources *s,
	struct err *err)
{
	struct dirent **names = NULL;
	int n = scandirat(dir, ".", &names, is_rule_file, alphasort), i;
	int rc = n < 0 ? err_sys(err, errno, "%s", path) : 0;

	pol_sources_drop_site(s, NULL);
	for (i = 0; i < n; i++) {
		AEG_AUTOFREE char *shown = xasprintf("%s/%s", path,
		    names[i]->d_name);
		AEG_AUTO(buf_done) struct buf text =
		    BUF_INIT_MAX(POL_SOURCE_MAX);

		if (rc == 0 && s->n == POL_SOURCES_MAX)
			rc = err_set(err, ERR_TOO_LONG, "more than %d rule "
			    "files", POL_SOURCES_MAX);
		if (rc == 0)
			rc = read_text(dir, names[i]->d_name, shown, &text,
			    err);
		if (rc == 0)
			pol_sources_add_text(s, POL_SITE, shown,
			    text.data != NULL ? text.data : "", text.len);
		free(names[i]);
	}
	free(names);
	return rc;
}

static int
trial_sources(const char *path, struct pol_sources *ret, struct err *err)
{
	AEG_AUTO(buf_done) struct buf text = BUF_INIT_MAX(POL_SOURCE_MAX);
	AEG_AUTOFD int dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int rc;

	if (dir < 0) {
		rc = read_text(AT_FDCWD, path, path, &text, err);
		return rc < 0 ? rc : sources_with(path, &text, ret, err);
	}
	rc = pol_sources_read(NULL, ret, err);
	if (rc < 0)
		return rc;
	rc = add_directory(path, dir, ret, err);
	if (rc < 0)
		pol_sources_done(ret);
	else
		pol_sources_hash(ret);
	return rc;
}

int
policy_load_trial(const char *profile, const char *path,
	struct policy **ret, struct err *err)
{
	struct pol_sources sources;
	char *blob = NULL;
	size_t size = 0;
	int rc = trial_sources(path, &sources, err);

	if (rc < 0)
		return rc;
	rc = compile_checked(&sources, &blob, &size, err);
	pol_sources_done(&sources);
	return rc < 0 ? rc : pol_open(blob, size, profile, ret, err);
}
