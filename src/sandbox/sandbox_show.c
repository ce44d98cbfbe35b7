/* SPDX-License-Identifier: ISC */
/* A profile for people: what it grants, refuses and requires. */
#include "sandbox_int.h"

#include <string.h>

#include "aegsh/base/mem.h"
#include "aegsh/base/path.h"
#include "aegsh/base/text.h"

static void
put_line(struct buf *out, const char *what, const char *path,
    const char *note)
{
	buf_putf(out, "%-15s ", what);
	text_inert(out, path, strlen(path), 0);
	if (note != NULL)
		buf_putf(out, "  (%s)", note);
	buf_putc(out, '\n');
}

/* Each key whose rights a grant holds. */
static void
put_grant(struct buf *out, const struct sandbox_profile *p,
    const struct sandbox_grant *g)
{
	AEG_AUTO(buf_done) struct buf keys = BUF_INIT;
	uint64_t left = g->fs, all = 0;
	size_t i, key;

	for (i = 0; i < p->n_grants; i++) {
		if (path_under(g->path, p->grants[i].path))
			all |= p->grants[i].fs;
	}
	for (key = 0; key < SANDBOX_KEY_GRANTS; key++) {
		uint64_t fs = sandbox_key_rights((enum sandbox_key)key);

		/* Of its own, and not said by a key before. */
		if ((all & fs) != fs || (left & fs) == 0)
			continue;
		left &= ~fs;
		if (keys.len > 0)
			buf_putc(&keys, ' ');
		buf_puts(&keys, sandbox_key_name((enum sandbox_key)key));
	}
	put_line(out, keys.len > 0 ? keys.data : "-", g->path, NULL);
}

static void
put_ports(struct buf *out, const char *what,
    const struct sandbox_ports *ports)
{
	size_t i;

	buf_putf(out, "%-15s ", what);
	if (ports->all)
		buf_puts(out, "all");
	else if (ports->n == 0)
		buf_puts(out, "none");
	for (i = 0; !ports->all && i < ports->n; i++)
		buf_putf(out, "%s%u", i > 0 ? " " : "",
		    (unsigned)ports->port[i]);
	buf_putc(out, '\n');
}

static void
put_sockets(struct buf *out, const struct sandbox_profile *p)
{
	size_t i;

	if (!p->listed) {
		put_line(out, "unix", p->local ? "all" : "none", NULL);
		return;
	}
	put_line(out, "unix", "those of the session's lines", NULL);
	for (i = 0; i < p->n_sockets; i++) {
		const struct sandbox_socket *s = &p->sockets[i];

		if (s->path != NULL)
			put_line(out, "unix", s->path, !s->pinned ? NULL :
			    s->there ? "as it was when this was loaded" :
			    "was not there when this was loaded");
	}
}

static void
put_required(struct buf *out, const struct sandbox_profile *p)
{
	unsigned bit;

	buf_putf(out, "%-15s", "requires");
	for (bit = 1; bit <= SANDBOX_COVER; bit <<= 1) {
		if (p->required & bit)
			buf_putf(out, " %s",
			    sandbox_layer_name((enum sandbox_layer)bit));
	}
	buf_putc(out, '\n');
}

/* What aegsh believes or keeps, and whether the kernel holds it. */
static void
put_place(struct buf *out, const struct sandbox_profile *p,
    const char *place, const char *what)
{
	AEG_AUTOFREE char *note = NULL;
	const struct sandbox_grant *g;

	if (place == NULL || sandbox_covered(p, place) != NULL)
		return;
	g = sandbox_changed_by(p, place);
	if (g == NULL)
		return;
	note = xasprintf("%s in a tree that commands may change; only the "
	    "policy guards it", what);
	put_line(out, "policy-only", place, note);
}

static void
put_rows(struct buf *out, const struct sandbox_profile *p)
{
	int abi = sandbox_landlock_abi();
	size_t i;

	buf_putf(out, "%-15s %s\n", "seccomp", p->text.seccomp);
	for (i = 0; i < sandbox_n_rows; i++) {
		const struct sandbox_row *row = &sandbox_rows[i];

		/* One line for a call's rows of the same reason. */
		if (!sandbox_row_holds(row, p, abi) || (i > 0 &&
		    row[-1].nr == row->nr &&
		    strcmp(row[-1].reason, row->reason) == 0))
			continue;
		buf_putf(out, "  refused       %s%s: %s (%s)\n", row->name,
		    row->n_args > 0 ? ", in part" : "", row->reason,
		    strerrorname_np(row->error));
	}
}

void
sandbox_show(const struct sandbox_profile *p, struct buf *out)
{
	size_t i;

	put_line(out, "profile", p->name, NULL);
	put_line(out, "file", p->text.file, NULL);
	put_line(out, "description", p->text.description, NULL);
	put_required(out, p);
	for (i = 0; i < p->n_grants; i++)
		put_grant(out, p, &p->grants[i]);
	for (i = 0; i < p->n_holes; i++)
		put_line(out, "hide", p->holes[i].path,
		    "contents; names may be seen");
	for (i = 0; i < p->n_covers; i++)
		put_line(out, p->covers[i].readonly ? "cover-readonly" :
		    "cover-empty", p->covers[i].path, NULL);
	put_place(out, p, p->store, "the store");
	put_place(out, p, p->conf, "the operator's settings");
	put_place(out, p, p->conf_user, "the user's settings");
	{
		AEG_AUTOFREE char *data = sandbox_path_real(sysdirs()->data);

		put_place(out, p, data, "what was installed");
	}
	put_ports(out, "tcp-connect", &p->connect);
	put_ports(out, "tcp-bind", &p->bind);
	buf_putf(out, "%-15s %s\n", "udp", p->udp ? "all" : "none");
	put_sockets(out, p);
	buf_putf(out, "%-15s %s\n", "supervise", p->text.supervise);
	buf_putf(out, "%-15s %s\n", "started", p->text.started);
	buf_putf(out, "%-15s %s\n", "shell-escape", p->text.escape);
	buf_putf(out, "%-15s %s\n", "descendant-shells", p->text.shells);
	buf_putf(out, "%-15s %s\n", "addresses", p->text.addresses);
	buf_putf(out, "%-15s %s\n", "umask", p->text.umask);
	buf_putf(out, "%-15s %s\n", "survivors", p->text.survivors);
	if (p->text.limit[SANDBOX_LIMIT_OUTPUT] > 0)
		put_line(out, "limit-output-then", p->text.output_then, NULL);
	buf_putf(out, "%-15s %s\n", "scope", p->text.scope);
	for (i = 0; i < SANDBOX_LIMIT_COUNT; i++) {
		if (p->text.limit[i] >= 0)
			buf_putf(out, "%-15s %ld\n",
			    sandbox_limit_name((enum sandbox_limit)i),
			    p->text.limit[i]);
	}
	put_rows(out, p);
}
