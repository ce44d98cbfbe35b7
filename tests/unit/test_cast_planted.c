/* SPDX-License-Identifier: ISC */
/*
 * Thousands of planted secrets in what lines write, which comes in pieces of
 * any size: none reaches the file or a row, and what does is what the whole
 * text would have been replaced by.
 */
#include "aegsh/cast.h"
#include "aegsh/cast_read.h"
#include "pick.h"
#include "scratch.h"
#include "tap.h"

#include <string.h>

#include "aegsh/base/mem.h"

#define ROUNDS 400
#define LINES 20		/* of output, in each */

static const char *const shapes[] = { "%s", "ghp_%s", "gho_%s",
    "github_pat_%s", "glpat-%s", "sk-%s", "sk_live_%s", "AKIA%s", "ASIA%s",
    "xoxb-%s", "xapp-%s", "AIza%s", "hvs.%s", "npm_%s", "pypi-%s", "eyJ%s",
    "SG.%s", "shpat_%s", "dop_v1_%s", "dckr_pat_%s", "glsa_%s", "figd_%s",
    "AGE-SECRET-KEY-1%s", "hf_%s", "whsec_%s", "tskey-%s" };
static const char *const places[] = { "export API_TOKEN=%s", "--token %s x",
    "> Authorization: Bearer %s", "-H 'X-Api-Key: %s'",
    "PASSWORD='%s' run", "  \"password\": \"%s\",", "https://u:%s@h/x",
    "mysql -u root -p%s db", "+ sshpass -p %s ssh h",
    "+ echo %s | sudo -S id", "{\"password\":\"%s\"}", "password: %s",
    "GET /?api_key=%s&x=1", "Cookie: a=%s; b=c", "docker login -u me -p %s r",
    "secret=%s", "PGPASSWORD=%s psql; ls", "\t\tDB_PASS=%s\r",
    "printf '%%s' %s | chpasswd", "Password: %s", "token=%s," };

static void
random_text(char *ret, size_t n)
{
	pick_text(ret, n);
	memcpy(ret + n - 6, "4q7Z19", 6);
}

static struct cast *
start(const struct redact *r, unsigned char session[UUID_LEN],
    enum cast_keep keep)
{
	struct cast_setup setup = { .dir = scratch_dir, .redact = r,
		.keep = keep, .line_max = CAST_LINE_MOST };

	if (++session[0] == 0)
		session[15]++;
	memcpy(setup.session, session, sizeof setup.session);
	return cast_new(&setup);
}

/* In pieces of 1 to most bytes. */
static void
put(struct cast *c, const struct buf *text, unsigned most)
{
	size_t i, n;

	for (i = 0; i < text->len; i += n) {
		n = 1 + pick(most);
		n = n < text->len - i ? n : text->len - i;
		cast_put(c, CAST_OUT, text->data + i, n, (int64_t)i * 1000000);
	}
}

static void
read_back(const unsigned char session[UUID_LEN], struct buf *ret)
{
	struct cast_reader *r = NULL;
	struct cast_event ev;
	struct err err = ERR_INIT;
	int rc = cast_reader_open(scratch_dir, session, &r, &err);

	buf_reset(ret);
	while (rc >= 0 && (rc = cast_reader_next(r, &ev, &err)) == 1)
		if (ev.code == CAST_CODE_OUT)
			buf_put(ret, ev.bytes, ev.len);
	if (rc < 0)
		printf("# %s\n", err.text);
	cast_reader_free(r);
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static void
put_secret(struct buf *b, char *secret, size_t size, const char *place)
{
	char random[64], line[400];

	random_text(random, 40 + pick(14));
	snprintf(secret, size, shapes[pick(AEG_NELEM(shapes))], random);
	snprintf(line, sizeof line, place, secret);
	buf_puts(b, line);
}
#pragma GCC diagnostic pop

/* Where two texts part. */
static void
show(const struct buf *got, const struct buf *want)
{
	size_t i = 0, from;

	while (i < got->len && i < want->len && got->data[i] == want->data[i])
		i++;
	from = i > 60 ? i - 60 : 0;
	printf("#  got: %.100s\n# want: %.100s\n",
	    got->data + (from < got->len ? from : got->len),
	    want->data + (from < want->len ? from : want->len));
}

static void
planted(const struct redact *r)
{
	static const char *const plain[] = { "total 12\n", "drwxr-xr-x 2 a b\n",
	    "\033[1;32mok\033[0m 7 tests\n", "caf\xc3\xa9\r\n", "\n",
	    "echo and printf \n", "100%|####| 7.5/7.5 [00:01]\r" };
	unsigned char session[UUID_LEN] = { 1 };
	struct cast *c = NULL;
	unsigned i, k, differ = 0, told = 0, planted_n = 0;
	const struct cast_line *l;

	for (i = 0; i < ROUNDS; i++) {
		AEG_AUTO(buf_done) struct buf text = BUF_INIT, want = BUF_INIT;
		AEG_AUTO(buf_done) struct buf got = BUF_INIT;
		char secrets[LINES][160];

		for (k = 0; k < LINES; k++) {
			buf_puts(&text, plain[pick(AEG_NELEM(plain))]);
			put_secret(&text, secrets[k], sizeof secrets[k],
			    places[planted_n++ % AEG_NELEM(places)]);
			buf_puts(&text, "\n");
		}
		c = start(r, session, CAST_KEEP_FULL);
		cast_begin(c, session, 0);
		put(c, &text, i % 4 == 0 ? 1 : i % 4 == 1 ? 200 : 9);
		l = cast_end(c);
		redact_text(r, &want, text.data, text.len);
		for (k = 0; k < LINES; k++)
			told += memmem(l->out.head, l->out.head_len,
			    secrets[k] + strlen(secrets[k]) - 20, 20) != NULL;
		read_back(session, &got);
		for (k = 0; k < LINES; k++) {
			if (memmem(got.data, got.len, secrets[k] +
			    strlen(secrets[k]) - 20, 20) == NULL)
				continue;
			if (told++ < 5)
				printf("# told: %s\n", secrets[k]);
		}
		if (got.len != want.len ||
		    memcmp(got.data, want.data, got.len) != 0) {
			if (differ++ < 5)
				show(&got, &want);
		}
		cast_free(c);
	}
	IS_INTN((int)told, 0, "planted secrets that came through");
	IS_INTN((int)differ, 0, "outputs that differ from the whole text's");
	OKF(planted_n == ROUNDS * LINES, "%u were planted", planted_n);
}

/* The colours of grep among the letters of a token, and a private key. */
static void
in_colours(const struct redact *r)
{
	unsigned char session[UUID_LEN] = { 1, 1 };
	AEG_AUTO(buf_done) struct buf got = BUF_INIT;
	unsigned i, told = 0, kept = 0;

	for (i = 0; i < 200; i++) {
		AEG_AUTO(buf_done) struct buf text = BUF_INIT;
		char random[64];
		struct cast *c = start(r, session, CAST_KEEP_FULL);

		random_text(random, 40);
		buf_puts(&text, i % 2 ? "a.env:\033[01;31m\033[Kghp_\033[m"
		    "\033[K" : "\033[32mTOKEN\033[0m=\033[1mghp_");
		buf_puts(&text, random);
		buf_puts(&text, i % 3 ? "\033[m\n" : "\033[5;7Hmore\n");
		cast_begin(c, session, 0);
		put(c, &text, i % 5 ? 7 : 1);
		cast_end(c);
		cast_free(c);
		read_back(session, &got);
		told += memmem(got.data, got.len, random + 20, 20) != NULL;
		kept += strstr(got.data, i % 3 ? "\033[m" : "\033[5;7Hmore") !=
		    NULL && strstr(got.data, "<redacted:") != NULL;
	}
	IS_INTN((int)told, 0, "tokens with colours that came through");
	IS_INTN((int)kept, 200, "what they look like stays");
}

/* ---- as it is shown ------------------------------------------------------ */

enum { BOLD, UNDERLINED, MENDED, REMOVED, LEFT, NULS, LITTLE, BIG, LITTLE_32,
	BIG_32, ENVIRON, FORMS };

/* A text in one of the forms in which a terminal shows just that. */
static void
disguise(struct buf *to, const char *p, size_t len, unsigned form)
{
	static const char *const forms[FORMS] = { [BOLD] = "c\bc",
		[UNDERLINED] = "_\bc", [MENDED] = "x\b \bc",
		[REMOVED] = "x\bc", [LEFT] = "x\033[Dc", [NULS] = "0c",
		[LITTLE] = "c0", [BIG] = "0c", [LITTLE_32] = "c000",
		[BIG_32] = "000c", [ENVIRON] = "c" };
	const char *f;
	size_t i;

	for (i = 0; i < len; i++) {
		bool all = form != MENDED && form != REMOVED && form != LEFT &&
		    form != NULS;

		/* A space that was overstruck is no space. */
		if ((p[i] == ' ' && form < NULS) || (!all && pick(3) > 0)) {
			buf_putc(to, p[i]);
			continue;
		}
		for (f = forms[form]; *f != '\0'; f++)
			buf_putc(to, *f == 'c' ? p[i] : *f == '0' ? '\0' :
			    *f);
	}
}

/* What is left of that to see. */
static void
undisguise(struct buf *b)
{
	size_t i, n = 0;

	for (i = 0; i < b->len; i++) {
		if (b->data[i] == '\b') {
			n -= n > 0 && b->data[n - 1] != '\n';
		} else if (i + 2 < b->len && memcmp(b->data + i, "\033[D",
		    3) == 0) {
			n -= n > 0 && b->data[n - 1] != '\n';
			i += 2;
		}
		else if (b->data[i] != '\0')
			b->data[n++] = b->data[i];
	}
	b->len = n;
}

static void
disguised(const struct redact *r)
{
	unsigned char session[UUID_LEN] = { 1, 4 };
	unsigned i, k, told = 0, tags = 0, kept = 0;

	for (i = 0; i < 800; i++) {
		AEG_AUTO(buf_done) struct buf text = BUF_INIT, got = BUF_INIT;
		AEG_AUTO(buf_done) struct buf plain = BUF_INIT;
		struct cast *c = start(r, session, CAST_KEEP_FULL);
		unsigned form = i % FORMS;
		char secret[160];

		buf_puts(&text, "it begins\n");
		put_secret(&plain, secret, sizeof secret,
		    places[i / FORMS % AEG_NELEM(places)]);
		buf_puts(&plain, "\n");
		if (form == ENVIRON)
			buf_put(&text, "A=1\0", 4);
		disguise(&text, plain.data, plain.len, form);
		buf_puts(&text, "\nit ends\n");
		cast_begin(c, session, 0);
		put(c, &text, i % 3 == 0 ? 1 : i % 3 == 1 ? 7 : 300);
		cast_end(c);
		cast_free(c);
		read_back(session, &got);
		tags += memmem(got.data, got.len, "<redacted:", 10) != NULL;
		kept += memmem(got.data, got.len, "it begins\n", 10) != NULL &&
		    memmem(got.data, got.len, "\nit ends\n", 9) != NULL;
		undisguise(&got);
		for (k = 0; k + 20 <= strlen(secret); k++)
			if (memmem(got.data, got.len, secret + k, 20) != NULL)
				break;
		if (k + 20 > strlen(secret))
			continue;
		if (told++ < 5)
			printf("# form %u: %s\n", form, secret);
	}
	IS_INTN((int)told, 0, "secrets to be seen though not written so");
	IS_INTN((int)tags, 800, "each has a tag");
	IS_INTN((int)kept, 800, "what stands around stays");
}

/* A line in one of the ways in which a cursor that goes back writes it. */
static void
write_moving(struct buf *to, const struct buf *line, unsigned form)
{
	size_t n = line->len, k = 1 + pick((unsigned)n - 1), i;
	const char *p = line->data;

	switch (form) {
	case 0:		/* its beginning comes last */
		for (i = 0; i < k; i++)
			buf_putc(to, ' ');
		buf_put(to, p + k, n - k);
		buf_putc(to, '\r');
		buf_put(to, p, k);
		break;
	case 1:		/* over another */
		for (i = 0; i < n; i++)
			buf_putc(to, "#=> "[pick(4)]);
		buf_putc(to, '\r');
		buf_put(to, p, n);
		break;
	case 2:		/* at their columns, of the line or of the screen */
	case 3:
		buf_puts(to, form == 2 ? "\r" : "\033[7H");
		buf_putf(to, form == 2 ? "\033[%zuG" : "\033[7;%zuH", k + 1);
		buf_put(to, p + k, n - k);
		buf_puts(to, form == 2 ? "\033[G" : "\033[7;1H");
		buf_put(to, p, k);
		break;
	case 4:		/* wrong, and mended */
		buf_put(to, p, k);
		for (i = k; i < n; i++)
			buf_putc(to, 'x');
		buf_putf(to, "\033[%zuD\033[K", n - k);
		buf_put(to, p + k, n - k);
		break;
	case 5:		/* a letter that was left out is put in */
		buf_put(to, p, k);
		buf_put(to, p + k + 1, n - k - 1);
		if (n > k + 1)
			buf_putf(to, "\033[%zuD", n - k - 1);
		buf_puts(to, "\033[@");
		buf_putc(to, p[k]);
		break;
	default:	/* one too many is taken out */
		buf_put(to, p, k);
		buf_putc(to, 'x');
		buf_put(to, p + k, n - k);
		buf_putf(to, "\033[%zuD\033[P", n - k + 1);
	}
}

/* What the cursor's ways put together on the screen. */
static void
moving(const struct redact *r)
{
	unsigned char session[UUID_LEN] = { 1, 6 };
	unsigned i, told = 0, tags = 0, kept = 0;

	for (i = 0; i < 350; i++) {
		AEG_AUTO(buf_done) struct buf text = BUF_INIT, got = BUF_INIT;
		AEG_AUTO(buf_done) struct buf plain = BUF_INIT;
		struct cast *c = start(r, session, CAST_KEEP_FULL);
		const char *place = places[i / 7 % AEG_NELEM(places)];
		unsigned form = strstr(place, " | ") != NULL ? 1 : i % 7;
		char secret[160];
		size_t k;

		put_secret(&plain, secret, sizeof secret, place);
		plain.len -= plain.data[plain.len - 1] == '\r';
		/* What a space ends is told, where no cursor has moved. */
		if (form == 0 || form == 5)
			plain.len = strcspn(strstr(plain.data, secret), " ") +
			    (size_t)(strstr(plain.data, secret) -
			    plain.data);
		/* Only where it begins does a tab stand for eight columns. */
		for (k = 0; k < plain.len && plain.data[k] == '\t'; k++)
			plain.data[k] = ' ';
		buf_puts(&text, "it begins\n");
		write_moving(&text, &plain, form);
		buf_puts(&text, "\nit ends\n");
		cast_begin(c, session, 0);
		put(c, &text, i % 3 == 0 ? 1 : i % 3 == 1 ? 7 : 300);
		cast_end(c);
		cast_free(c);
		read_back(session, &got);
		tags += memmem(got.data, got.len, "<redacted:", 10) != NULL;
		kept += memmem(got.data, got.len, "it begins\n", 10) != NULL &&
		    memmem(got.data, got.len, "\nit ends\n", 9) != NULL;
		for (k = 0; k + 16 <= strlen(secret); k++)
			if (memmem(got.data, got.len, secret + k, 16) != NULL)
				break;
		if (k + 16 > strlen(secret))
			continue;
		if (told++ < 8)
			printf("# form %u: %s: %s\n", form, secret,
			    got.data);
	}
	IS_INTN((int)told, 0, "secrets that a cursor put together");
	IS_INTN((int)tags, 350, "each has a tag");
	IS_INTN((int)kept, 350, "what stands around stays");
}

/* Lines that are written anew all the time are told while they are. */
static void
progress(const struct redact *r)
{
	unsigned char session[UUID_LEN] = { 1, 7 };
	AEG_AUTO(buf_done) struct buf text = BUF_INIT, got = BUF_INIT;
	struct cast *c = start(r, session, CAST_KEEP_FULL);
	unsigned i;

	cast_begin(c, session, 0);
	for (i = 0; i < 3000; i++) {
		char line[100];

		snprintf(line, sizeof line, i % 2 ? "%3u%% of a1b2c3d4e5f6 "
		    "[####]\r" : "\r%3u%% of a1b2c3d4e5f6 [###.]\033[K",
		    i / 30);
		buf_puts(&text, line);
		cast_put(c, CAST_OUT, line, strlen(line), (int64_t)i);
	}
	read_back(session, &got);
	/* It is written by 64 KiB. */
	OKF(got.len + 65536 + 4096 > text.len, "%zu of %zu",
	    got.len, text.len);
	cast_end(c);
	cast_free(c);
	read_back(session, &got);
	OK(got.len == text.len &&
	    memcmp(got.data, text.data, got.len) == 0);
}

/* What shows nothing is not held for ever, whatever it is. */
static void
unseen(const struct redact *r)
{
	static const char *const bits[] = { "\033[m", "a\b", "a\b \b",
		"abcdefgh1\r", "\033[3Da", "\033[1000G", "a\033[@\033[G" };
	unsigned char session[UUID_LEN] = { 1, 5 };
	size_t i, k;

	for (i = 0; i < AEG_NELEM(bits); i++) {
		AEG_AUTO(buf_done) struct buf text = BUF_INIT, got = BUF_INIT;
		struct cast *c = start(r, session, CAST_KEEP_FULL);

		for (k = 0; k < 100000; k++)
			buf_puts(&text, bits[i]);
		cast_begin(c, session, 0);
		put(c, &text, 4000);
		read_back(session, &got);
		OKF(got.len > text.len / 2, "%zu of %zu", got.len, text.len);
		cast_free(c);
		read_back(session, &got);
		OK(got.len == text.len &&
		    memcmp(got.data, text.data, got.len) == 0);
	}
}

static void
keys(const struct redact *r)
{
	unsigned char session[UUID_LEN] = { 1, 2 };
	AEG_AUTO(buf_done) struct buf got = BUF_INIT, want = BUF_INIT;
	unsigned i, k, told = 0, differ = 0;

	for (i = 0; i < 60; i++) {
		AEG_AUTO(buf_done) struct buf text = BUF_INIT;
		char lines[70][80];
		unsigned n = i < 30 ? 2 + pick(40) : 70;
		struct cast *c = start(r, session, CAST_KEEP_FULL);

		buf_puts(&text, "$ cat key\n-----BEGIN RSA PRIVATE KEY-----\n");
		for (k = 0; k < n; k++) {
			random_text(lines[k], 64);
			buf_puts(&text, lines[k]);
			buf_puts(&text, i % 2 ? "\r\n" : "\n");
		}
		/* Some end before the key does. */
		if (i % 3 > 0)
			buf_puts(&text, "-----END RSA PRIVATE KEY-----\n");
		cast_begin(c, session, 0);
		put(c, &text, i % 4 ? 100 : 1);
		cast_end(c);
		cast_free(c);
		read_back(session, &got);
		for (k = 0; k < n; k++)
			told += memmem(got.data, got.len, lines[k] + 20,
			    40) != NULL;
		buf_reset(&want);
		redact_text(r, &want, text.data, text.len);
		differ += got.len != want.len ||
		    memcmp(got.data, want.data, got.len) != 0;
	}
	IS_INTN((int)told, 0, "lines of keys that came through");
	IS_INTN((int)differ, 0, "keys that differ from the whole text's");
}

/* Longer than all that is held back: what stands beyond that does not come
 * through either; and in the end of what was too much. */
static void
long_ones(const struct redact *r)
{
	unsigned char session[UUID_LEN] = { 1, 3 };
	AEG_AUTO(buf_done) struct buf text = BUF_INIT, got = BUF_INIT;
	struct cast *c = start(r, session, CAST_KEEP_FULL);
	const struct cast_line *l;
	char random[64];
	size_t i;

	buf_puts(&text, "Authorization: Bearer ");
	for (i = 0; i < 200000 / 60; i++) {
		random_text(random, 60);
		buf_puts(&text, random);
	}
	buf_puts(&text, " done\n");
	cast_begin(c, session, 0);
	put(c, &text, 4000);
	l = cast_end(c);
	OK(!l->out.cut && l->out.head_len < 200);
	cast_free(c);
	read_back(session, &got);
	OKF(memmem(got.data, got.len, "4q7Z19", 6) == NULL &&
	    strstr(got.data, " done\n") != NULL, "%s", got.data);

	c = start(r, session, CAST_KEEP_SAMPLE);
	buf_reset(&text);
	for (i = 0; i < 300; i++) {
		buf_puts(&text, "some text that is long enough\n");
		if (i == 136 || i == 200 || i == 299)
			buf_putf(&text, "password: %s\n", random);
	}
	cast_begin(c, session, 0);
	put(c, &text, 50);
	l = cast_end(c);
	OK(l->out.cut && memmem(l->out.tail, l->out.tail_len, random, 30) ==
	    NULL && memmem(l->out.head, l->out.head_len, random, 30) == NULL);
	OK(memmem(l->out.tail, l->out.tail_len, "<redacted:value", 15) !=
	    NULL);
	cast_free(c);
}

int
main(void)
{
	static const unsigned char key[REDACT_KEY_LEN] = { 7 };
	struct redact *r = redact_new();

	scratch_new();
	redact_key_set(r, key);
	planted(r);
	in_colours(r);
	disguised(r);
	moving(r);
	progress(r);
	unseen(r);
	keys(r);
	long_ones(r);
	redact_free(r);
	return tap_done();
}
