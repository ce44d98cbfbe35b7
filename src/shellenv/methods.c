/* SPDX-License-Identifier: ISC */
/* The ways to install a program, and where each leaves it. */
#include "check_int.h"

#include <dirent.h>
#include <fnmatch.h>
#include <glob.h>
#include <string.h>

#include "aegsh/base/path.h"
#include "aegsh/base/text.h"

#define DIR_LOOKS 512		/* entries of a directory looked at */

const struct method se_methods[] = {
	{ "system", "system packages", "/usr/bin", ON_PATH_YES },
	{ "sbin", "system administration programs",
	    "/usr/sbin|/sbin|/usr/local/sbin", ON_PATH_DEPENDS },
	{ "games", "games", "/usr/games", ON_PATH_DEPENDS },
	{ "local", "downloads into /usr/local", "/usr/local/bin",
	    ON_PATH_YES },
	{ "opt", "packages below /opt", "/opt/*/bin", ON_PATH_NO },
	{ "snap", "snap", "/snap/bin|/var/lib/snapd/snap/bin", ON_PATH_YES },
	{ "flatpak", "Flatpak", "/var/lib/flatpak/exports/bin",
	    ON_PATH_DEPENDS },
	{ "flatpak-user", "Flatpak of the user",
	    "~/.local/share/flatpak/exports/bin", ON_PATH_DEPENDS },
	{ "brew", "Homebrew (Intel)", "/usr/local/Homebrew/bin",
	    ON_PATH_YES },
	{ "brew-arm", "Homebrew (ARM)", "/opt/homebrew/bin", ON_PATH_YES,
	    "eval \"$(/opt/homebrew/bin/brew shellenv)\"" },
	{ "linuxbrew", "Homebrew on Linux",
	    "$HOMEBREW_PREFIX/bin|/home/linuxbrew/.linuxbrew/bin|"
	    "~/.linuxbrew/bin", ON_PATH_NO,
	    "eval \"$(brew shellenv)\", brew by its full path" },
	{ "user", "programs of the user (pip --user, pipx, downloads)",
	    "~/.local/bin", ON_PATH_USUALLY },
	{ "home-bin", "own programs", "~/bin", ON_PATH_USUALLY },
	{ "pipx", "pipx", "$PIPX_BIN_DIR", ON_PATH_USUALLY },
	{ "venv", "a Python environment", "$VIRTUAL_ENV/bin", ON_PATH_YES,
	    ". bin/activate of the environment, in each session" },
	{ "cargo", "cargo install, rustup", "$CARGO_HOME/bin|~/.cargo/bin",
	    ON_PATH_NO },
	{ "go", "go install", "$GOBIN|$GOPATH/bin|~/go/bin", ON_PATH_NO },
	{ "go-toolchain", "the Go distribution", "/usr/local/go/bin",
	    ON_PATH_NO },
	{ "npm", "npm install -g", "$NPM_CONFIG_PREFIX/bin|$npmrc/bin|"
	    "~/.npm-global/bin|~/.npm-packages/bin", ON_PATH_DEPENDS },
	{ "pnpm", "pnpm", "$PNPM_HOME|~/.local/share/pnpm", ON_PATH_NO },
	{ "yarn", "yarn global", "~/.yarn/bin", ON_PATH_NO },
	{ "bun", "bun", "$BUN_INSTALL/bin|~/.bun/bin", ON_PATH_NO },
	{ "deno", "deno", "$DENO_INSTALL/bin|~/.deno/bin", ON_PATH_NO },
	{ "nvm", "nvm", "$NVM_DIR/versions/node/*/bin|"
	    "~/.nvm/versions/node/*/bin", ON_PATH_NO,
	    ". \"$NVM_DIR/nvm.sh\"" },
	{ "fnm", "fnm", "~/.local/share/fnm/aliases/default/bin",
	    ON_PATH_NO, "eval \"$(fnm env)\"" },
	{ "volta", "Volta", "$VOLTA_HOME/bin|~/.volta/bin", ON_PATH_NO },
	{ "pyenv", "pyenv", "$PYENV_ROOT/shims|~/.pyenv/shims", ON_PATH_NO,
	    "eval \"$(pyenv init -)\"" },
	{ "rbenv", "rbenv", "$RBENV_ROOT/shims|~/.rbenv/shims", ON_PATH_NO,
	    "eval \"$(rbenv init -)\"" },
	{ "asdf", "asdf", "$ASDF_DATA_DIR/shims|~/.asdf/shims", ON_PATH_NO },
	{ "mise", "mise", "~/.local/share/mise/shims", ON_PATH_NO },
	{ "sdkman", "SDKMAN!", "~/.sdkman/candidates/*/current/bin",
	    ON_PATH_NO, ". ~/.sdkman/bin/sdkman-init.sh" },
	{ "gem", "gem install --user-install", "$GEM_HOME/bin|"
	    "~/.local/share/gem/ruby/*/bin|~/.gem/ruby/*/bin", ON_PATH_NO },
	{ "conda", "conda", "~/miniconda3/condabin|~/anaconda3/condabin|"
	    "~/miniforge3/condabin", ON_PATH_NO, "conda init" },
	{ "nix", "Nix", "~/.nix-profile/bin|/nix/var/nix/profiles/default/bin",
	    ON_PATH_DEPENDS,
	    ". ~/.nix-profile/etc/profile.d/nix.sh" },
	{ "composer", "composer global", "$COMPOSER_HOME/vendor/bin|"
	    "~/.config/composer/vendor/bin|~/.composer/vendor/bin",
	    ON_PATH_NO },
	{ "dotnet", ".NET tools", "~/.dotnet/tools", ON_PATH_NO },
	{ "krew", "kubectl plugins", "$KREW_ROOT/bin|~/.krew/bin",
	    ON_PATH_NO },
	{ "cabal", "cabal install", "~/.cabal/bin", ON_PATH_NO },
	{ "ghcup", "ghcup", "~/.ghcup/bin", ON_PATH_NO },
	{ "opam", "opam", "~/.opam/default/bin", ON_PATH_NO,
	    "eval \"$(opam env)\"" },
	{ "luarocks", "luarocks --local", "~/.luarocks/bin", ON_PATH_NO },
	{ "perl", "local::lib", "$PERL_LOCAL_LIB_ROOT/bin|~/perl5/bin",
	    ON_PATH_NO },
	{ "juliaup", "juliaup", "~/.juliaup/bin", ON_PATH_NO },
	{ "foundry", "foundry", "~/.foundry/bin", ON_PATH_NO },
};
const size_t se_n_methods = AEG_NELEM(se_methods);

/* A program in the directory, the first by name; NULL: none. */
const char *
se_dir_program(struct shellenv *se, const char *dir)
{
	DIR *d = opendir(se_disk(se, dir));
	AEG_AUTOFREE char *found = NULL;
	struct dirent *e;
	struct stat st;
	int i;

	for (i = 0; d != NULL && i < DIR_LOOKS; i++) {
		e = readdir(d);
		if (e == NULL)
			break;
		if (e->d_name[0] == '.' || (found != NULL &&
		    strcmp(e->d_name, found) > 0) ||
		    fstatat(dirfd(d), e->d_name, &st, 0) < 0 ||
		    !S_ISREG(st.st_mode) || (st.st_mode & 0111) == 0)
			continue;
		free(found);
		found = xstrdup(e->d_name);
	}
	if (d != NULL)
		closedir(d);
	return found != NULL ? se_strdup(se, found) : NULL;
}

/* prefix= of ~/.npmrc. */
static const char *
npm_prefix(struct shellenv *se)
{
	const char *text, *p;
	size_t len;

	if (se_read(se, se_tilde(se, "~/.npmrc"), &text, &len) < 0)
		return NULL;
	for (p = text; *p != '\0'; p += strcspn(p, "\n"), p += *p == '\n') {
		const char *v = p + strspn(p, " \t");

		if (!text_starts(v, "prefix"))
			continue;
		v += 6 + strspn(v + 6, " \t");
		if (*v != '=')
			continue;
		v += 1 + strspn(v + 1, " \t");
		return se_tilde(se, arena_memdup0(se->arena, v,
		    strcspn(v, " \t\r\n")));
	}
	return NULL;
}

/* One alternative as an absolute path or glob; NULL: its variable is not
 * set. */
static const char *
place(struct shellenv *se, const char *p, size_t len)
{
	char *text = arena_memdup0(se->arena, p, len);
	const char *v, *rest;
	size_t n;

	if (text[0] != '$')
		return se_tilde(se, text);
	n = strcspn(text + 1, "/");
	rest = text + 1 + n;
	v = strncmp(text + 1, "npmrc", n) == 0 ? npm_prefix(se) :
	    se_getenv(se, arena_memdup0(se->arena, text + 1, n));
	return v != NULL && v[0] == '/' ? se_printf(se, "%s%s", v, rest) :
	    NULL;
}

struct dirs {
	struct method_dir *list;
	size_t n, cap;
};

static bool
add_dir(struct shellenv *se, struct dirs *d, const struct method *m,
    const char *dir)
{
	const char *program = se_dir_program(se, dir);
	struct method_dir *to;

	if (program == NULL)
		return false;
	to = SE_PUSH(se, d->list, d->n, d->cap);
	to->method = m;
	to->dir = dir;
	/* "cargo" tells more of ~/.cargo/bin than what comes first. */
	to->program = se_program(se, se_printf(se, "%s/%s", dir, m->name)) !=
	    NULL ? m->name : program;
	return true;
}

static bool
add_place(struct shellenv *se, struct dirs *d, const struct method *m,
    const char *where)
{
	const char *disk = se_disk(se, where);
	size_t i, skip = strlen(disk) - strlen(where);
	bool any = false;
	glob_t g;

	if (strchr(where, '*') == NULL)
		return add_dir(se, d, m, where);
	if (glob(disk, GLOB_NOSORT, NULL, &g) != 0)
		return false;
	for (i = 0; i < g.gl_pathc && i < DIR_LOOKS; i++)
		any |= add_dir(se, d, m, se_strdup(se, g.gl_pathv[i] + skip));
	globfree(&g);
	return any;
}

void
se_methods_find(struct shellenv *se, struct method_dir **ret, size_t *ret_n)
{
	struct dirs d = { NULL, 0, 0 };
	size_t i, len;

	for (i = 0; i < se_n_methods; i++) {
		const char *p = se_methods[i].dirs, *where;
		bool all = se_methods[i].dirs[0] == '/';

		for (; *p != '\0'; p += len + (p[len] == '|')) {
			len = strcspn(p, "|");
			where = place(se, p, len);
			/* The system's are all looked at, of a user's only
			 * the first that is there. */
			if (where != NULL && add_place(se, &d, &se_methods[i],
			    where) && !all)
				break;
		}
	}
	*ret = d.list;
	*ret_n = d.n;
}

const struct method *
se_method_of(struct shellenv *se, const char *dir)
{
	const char *p, *where;
	size_t i, len;

	for (i = 0; i < se_n_methods; i++)
		for (p = se_methods[i].dirs; *p != '\0';
		    p += len + (p[len] == '|')) {
			len = strcspn(p, "|");
			where = place(se, p, len);
			if (where != NULL && fnmatch(where, dir,
			    FNM_PATHNAME) == 0)
				return &se_methods[i];
		}
	return NULL;
}
