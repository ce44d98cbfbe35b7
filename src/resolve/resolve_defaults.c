/* SPDX-License-Identifier: ISC */
/*
 * Files that a program runs though no word names them: because that is what
 * they are called.  From the programs' manual pages.
 */
#include "resolve_int.h"

#include <fnmatch.h>
#include <string.h>

#include "aegsh/base/path.h"

/* A pattern with a slash is for the end of the whole path. */
static const struct default_row {
	const char *programs;	/* without their versions */
	const char *files;
} rows[] = {
	{ "make gmake", "Makefile makefile GNUmakefile *.mk" },
	{ "autoreconf autoconf automake", "configure.ac Makefile.am "
	    "acinclude.m4" },
	{ "cmake ctest cpack", "CMakeLists.txt *.cmake CMakePresets.json "
	    "CTestTestfile.cmake" },
	{ "ninja", "build.ninja" },
	{ "meson", "meson.build" },
	{ "scons", "SConstruct SConscript" },
	{ "waf", "wscript" },
	{ "bazel bazelisk", "BUILD BUILD.bazel WORKSPACE WORKSPACE.bazel "
	    "MODULE.bazel *.bzl .bazelrc" },
	{ "just", "justfile Justfile .justfile" },
	{ "task go-task", "Taskfile.yml Taskfile.yaml" },
	{ "npm npx pnpm yarn bun bunx", "package.json .npmrc .yarnrc "
	    ".yarnrc.yml .pnpmfile.cjs binding.gyp" },
	{ "npx webpack gulp grunt jest vite rollup eslint babel tsc mocha "
	    "vitest next playwright", "*.config.js *.config.ts *.config.mjs "
	    "*.config.cjs gulpfile.js Gruntfile.js .eslintrc.js "
	    ".eslintrc.cjs .babelrc.js .mocharc.js" },
	{ "node nodejs deno bun", "index.js package.json" },
	{ "cargo rustc rustup", "build.rs Cargo.toml .cargo/config.toml "
	    "rust-toolchain rust-toolchain.toml" },
	{ "go", "*.go go.mod go.work" },
	{ "pip pipx uv uvx poetry pipenv hatch pdm rye python", "setup.py "
	    "setup.cfg pyproject.toml Pipfile" },
	{ "python pypy ipython", "sitecustomize.py usercustomize.py *.py" },
	{ "pytest tox nox python py.test", "conftest.py test_*.py *_test.py "
	    "pytest.ini tox.ini setup.cfg pyproject.toml noxfile.py" },
	{ "invoke inv", "tasks.py" },
	{ "fab", "fabfile.py" },
	{ "pre-commit", ".pre-commit-config.yaml" },
	{ "rake", "Rakefile rakefile Rakefile.rb *.rake" },
	{ "bundle bundler gem rails", "Gemfile *.gemspec .irbrc" },
	{ "irb pry", ".irbrc .pryrc" },
	{ "gradle gradlew", "build.gradle build.gradle.kts settings.gradle "
	    "settings.gradle.kts init.gradle gradle-wrapper.properties" },
	{ "mvn mvnw", "pom.xml maven-wrapper.properties" },
	{ "ant", "build.xml" },
	{ "sbt", "build.sbt plugins.sbt" },
	{ "composer php", "composer.json" },
	{ "mix elixir iex", "mix.exs .iex.exs" },
	{ "rebar", "rebar.config" },
	{ "cabal stack runhaskell ghci", "*.cabal Setup.hs stack.yaml "
	    "package.yaml .ghci" },
	{ "dune opam", "dune dune-project" },
	{ "swift", "Package.swift" },
	{ "zig", "build.zig" },
	{ "julia", "Project.toml startup.jl" },
	{ "R Rscript r", ".Rprofile" },
	{ "nix nix-build nix-shell nixos-rebuild", "default.nix shell.nix "
	    "flake.nix" },
	{ "docker podman buildah nerdctl docker-compose", "Dockerfile "
	    "Containerfile docker-compose.yml docker-compose.yaml "
	    "compose.yml compose.yaml" },
	{ "vagrant", "Vagrantfile" },
	{ "terraform tofu terragrunt packer", "*.tf *.tf.json "
	    "terragrunt.hcl" },
	{ "ansible ansible-playbook ansible-galaxy", "ansible.cfg" },
	{ "makepkg", "PKGBUILD" },
	{ "dpkg-buildpackage debuild dh debian", "debian/rules" },
	{ "rpmbuild", "*.spec .rpmmacros" },
	{ "snapcraft", "snapcraft.yaml" },
	{ "direnv", ".envrc" },
	{ "git", ".git/hooks/* .git/config .gitconfig" },
	{ "vim vi ex nvim gvim view", ".vimrc .exrc _vimrc .nvimrc .nvim.lua "
	    "init.vim init.lua" },
	{ "emacs", ".emacs .dir-locals.el init.el" },
	{ "gdb", ".gdbinit" },
	{ "bash sh zsh ksh", ".bashrc .bash_profile .bash_login .profile "
	    ".zshrc .zshenv" },
	{ "tmux", ".tmux.conf" },
	{ "screen", ".screenrc" },
	{ "psql", ".psqlrc" },
	{ "sqlite", ".sqliterc" },
	{ "mutt neomutt", ".muttrc" },
	{ "octave", ".octaverc" },
};

static bool
is_file(const char *list, const char *path)
{
	const char *base = path_base(path), *p = list;
	char pattern[64];
	size_t n;

	for (; *p != '\0'; p += n) {
		p += strspn(p, " ");
		n = strcspn(p, " ");
		if (n == 0 || n + 3 > sizeof pattern)
			continue;
		memcpy(pattern, "*/", 2);
		memcpy(pattern + 2, p, n);
		pattern[2 + n] = '\0';
		if (memchr(p, '/', n) != NULL ?
		    fnmatch(pattern, path, 0) == 0 :
		    fnmatch(pattern + 2, base, 0) == 0)
			return true;
	}
	return false;
}

static bool
is_program(const char *list, const char *name, size_t len)
{
	struct syn_word word = { .value = name, .len = len };

	return resolve_in_list(list, &word);
}

bool
resolve_has_defaults(const char *program)
{
	return resolve_runs_by_default(program, NULL);
}

bool
resolve_runs_by_default(const char *program, const char *path)
{
	size_t len = strlen(program), stem = len, i;

	while (stem > 1 && strchr("0123456789.-", program[stem - 1]) != NULL)
		stem--;
	for (i = 0; i < AEG_NELEM(rows); i++)
		if ((is_program(rows[i].programs, program, len) ||
		    is_program(rows[i].programs, program, stem)) &&
		    (path == NULL || is_file(rows[i].files, path)))
			return true;
	return false;
}
