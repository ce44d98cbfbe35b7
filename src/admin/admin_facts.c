/* SPDX-License-Identifier: ISC */
/* Reading a line as the shell does, with nothing run. */
#include "admin_facts.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/text.h"

static enum syn_var
known_variable(void *ctx, const char *name, const char **ret_value)
{
	const char *value = state_get(ctx, name);

	/* Functions never come from outside: state takes none in. */
	if (text_starts(name, "BASH_FUNC_"))
		return SYN_VAR_UNSET;
	if (value == NULL)
		return text_is_name(name, strlen(name)) ? SYN_VAR_UNSET :
		    SYN_VAR_UNKNOWN;
	*ret_value = value;
	return SYN_VAR_SET;
}

int
admin_facts_new(char *bytes, size_t len, const struct state *state,
    struct admin_facts *ret, struct err *err)
{
	static const struct syn_options whole = { .at_end = true };
	const struct syn_vars vars = { .get = known_variable,
		.ctx = (void *)(uintptr_t)state, .tilde = resolve_home,
		.homes = state };
	int rc = 0;

	*ret = (struct admin_facts){ .bytes = bytes, .len = len,
		.state = state };
	ret->answer = syn_parse(bytes, len, &whole, &ret->tree, &ret->diag);
	if (ret->answer != SYN_TREE)
		return 0;
	ret->facts = syn_facts_new(ret->tree, &vars);
	rc = resolve_facts(ret->facts, ret->state, &ret->resolved);
	if (rc < 0) {
		err_set(err, rc, "what the line would run cannot be found "
		    "out: %s", err_str(rc));
		admin_facts_done(ret);
	}
	return rc;
}

void
admin_facts_done(struct admin_facts *f)
{
	resolve_free(f->resolved);
	syn_facts_free(f->facts);
	syn_free(f->tree);
	free(f->bytes);
	*f = (struct admin_facts){ .bytes = NULL };
}

char *
admin_facts_diag(const struct admin_facts *f)
{
	const struct syn_diag *d = &f->diag;
	const char *what = d->code == ERR_TOO_LONG ? "too long" :
	    d->code == ERR_RANGE ? "nested too deep" :
	    d->code == -EILSEQ ? "a NUL byte" :
	    f->answer == SYN_INCOMPLETE ? "incomplete" : "syntax error";

	return xasprintf("line %u, column %u: %s%s%s", d->line, d->column,
	    what, d->expected[0] == '\0' ? "" :
	    f->answer == SYN_INCOMPLETE ? ": open is " : ": expected ",
	    d->expected);
}

int
admin_read_line(const char *file, const char *operand, char **ret,
    size_t *ret_len, struct err *err)
{
	AEG_AUTO(buf_done) struct buf b = BUF_INIT_MAX(SYN_LEN_MAX);
	AEG_AUTOFD int opened = -1;
	int fd = STDIN_FILENO, rc;

	if (file == NULL) {
		*ret = xstrdup(operand);
		*ret_len = strlen(operand);
		return 0;
	}
	if (strcmp(file, "-") != 0) {
		opened = open(file, O_RDONLY | O_CLOEXEC | O_NOCTTY);
		if (opened < 0)
			return err_sys(err, errno, "%s", file);
		fd = opened;
	}
	rc = io_read_all(fd, &b);
	if (rc == ERR_TOO_LONG)
		return err_set(err, rc, "%s: longer than %zu bytes", file,
		    SYN_LEN_MAX);
	if (rc < 0)
		return err_sys(err, -rc, "%s", file);
	*ret_len = b.len;
	*ret = buf_take(&b);
	return 0;
}
