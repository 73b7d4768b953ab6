"""Which programs bring text from elsewhere, and which only work with what is on this machine."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from ..lib.pattern import Pattern
from ..shell.code import has_words, loads, reaches
from ..shell.parse import RUN_WITH, SHOWS, assigned, commands, is_assignment, program, started
from ..shell.script import INPUT_MARK, Document, parted, substitutions

# Programs that bring text from elsewhere, those that are given its address first, and programs that run others.
BY_ADDRESS = frozenset(
    "curl curlie wget wget2 aria2c lynx w3m links elinks http https xh httpie hurl invoke-webrequest iwr irm nc".split()
)
FETCHERS = BY_ADDRESS | frozenset(
    """
    invoke-restmethod ncat netcat telnet socat ssh scp sftp rsync mosh ftp lftp rclone yt-dlp psql mysql mariadb
    mongo mongosh redis-cli valkey-cli sqlplus sqlcmd cqlsh clickhouse-client bq snowsql aws gcloud gsutil az s3cmd
    s5cmd mc doctl heroku flyctl fly vercel netlify wrangler kubectl oc stern logcli sentry-cli journalctl mail
    mutt himalaya
    """.split()
)
# Programs of this machine and of a project's own work. What any other program prints counts as brought from elsewhere.
LOCAL = frozenset(
    """
    [ [[ : alias bg break case cd continue declare dirs disown done echo esac eval exit export false fc fg
    fi for function getopts hash help history in jobs let local mapfile popd printf pushd pwd read readonly
    return select set shift shopt test then times trap true type typeset ulimit umask unalias unset wait cat
    tac head tail less more bat nl ls eza exa tree stat file du df locate which whereis realpath readlink
    basename dirname mkdir rmdir rm cp mv ln touch chmod chown chgrp install mktemp dd sync truncate split
    csplit grep egrep fgrep rg ag ack sed awk gawk sort uniq wc cut tr paste join comm fold fmt column
    expand rev shuf seq tee xxd od hexdump strings diff cmp colordiff patch jq yq xq tomlq xmllint base64
    md5sum sha1sum sha256sum sha512sum shasum cksum b2sum tar gzip gunzip zcat bzip2 xz zstd zip unzip 7z
    cpio date cal sleep printenv id whoami groups hostname uname arch nproc uptime free top htop ps pgrep
    pkill kill killall lsof fuser ss netstat ifconfig umount lsblk blkid sysctl service launchctl crontab
    lscpu lspci lsusb nvidia-smi tput clear reset stty tty locale getent dpkg rpm ldd nm objdump
    readelf strip gdb lldb perf valgrind heaptrack bench make gmake cmake ctest ninja meson bazel bazelisk
    buck2 scons autoconf automake configure gcc g++ cc c++ clang clang++ clang-format clang-tidy ld ar as
    nasm rustc rustfmt rustup javac java kotlinc kotlin scalac sbt mvn mvnw gradle gradlew ant dotnet
    msbuild swift swiftc swiftformat swiftlint xcodebuild pod tsc esbuild swc vite vitest jest mocha ava
    karma cypress playwright webpack rollup parcel turbo nx eslint prettier biome stylelint oxlint rome
    standard svelte-check vue-tsc next nuxt astro gatsby remix storybook tailwindcss postcss sass pytest tox
    nox unittest coverage mypy pyright pytype ruff black isort flake8 pylint bandit autopep8 yapf alembic
    django-admin flask uvicorn gunicorn celery manage.py setup.py sphinx-build mkdocs jupyter nbconvert
    maturin cython gofmt goimports golangci-lint staticcheck delve dlv air gotestsum wasm-pack wasm-bindgen
    trunk rake rspec rubocop rails minitest standardrb puma sidekiq phpunit pest phpstan psalm artisan pint
    php-cs-fixer mix rebar3 stack cabal ghc dune ocaml opam zig zls nim crystal lein clj luarocks busted
    luacheck stylua shellcheck shfmt bats hadolint yamllint actionlint ansible-lint markdownlint vale tflint
    packer tilt latexmk pdflatex xelatex lualatex biber bibtex pandoc convert magick identify ffmpeg ffprobe
    sox dot plantuml protoc buf sqlc atlas prisma knex typeorm sequelize flyway dbmate diesel sqlx just task
    foreman overmind code nano subl open udevadm py-spy memray sccache spectral promtool module sbatch
    squeue sacct tokei scc cloc fc-list ufw iptables nft chronyc timedatectl hostnamectl loginctl codesign
    security openscad license-checker depcruise madge knip update-ca-certificates apt-key ssh-add ssh-keygen
    openocd st-flash esptool.py get-content get-childitem select-string set-location remove-item copy-item
    move-item new-item test-path xdg-open pbcopy keepstone pio idf.py flutter dart fastlane detox adb
    json.tool venv py_compile compileall doctest django sphinx sphinx-autogen sphinx-apidoc
    sphinx-quickstart
    """.split()
)
# The local ways of programs that have subcommands: whatever else they do counts as brought from elsewhere. A word that
# ends in a colon or a dot is the beginning of one. Ways in two words have an entry of their own: "docker compose".
_PYTHON = (
    "install i add remove rm update upgrade lock sync run build check env init new config version shell export self"
)
_NODE = """
ci install i add test t tst run run-script rum start stop restart uninstall un remove rm r update up upgrade ls list ll
la link ln unlink rebuild rb prune dedupe ddp pkg version pack publish config c get set cache bin root prefix explain
why login logout whoami help it cit clean-install install-test install-ci-test shrinkwrap completion ping
"""
# Scripts that a project's package.json or composer.json names are its own; these names say what they do.
_SCRIPTS = """
build dev serve preview lint format fmt check typecheck type-check types tsc watch clean compile bundle deploy release
codegen generate gen e2e unit coverage cover migrate seed analyze analyse docs storybook validate verify setup prepare
"""
_DOCKER = """
build buildx ps images start stop restart rm rmi kill create tag push info version login logout stats top port rename
wait update load save import export pause unpause context commit run exec network volume builder system
"""
_COMPOSE = (
    "up down build ps start stop restart rm kill create config images push version ls top port run exec wait watch"
)
_DJANGO = """
migrate makemigrations test runserver check collectstatic createsuperuser showmigrations startapp startproject
compilemessages makemessages loaddata flush sqlmigrate findstatic diffsettings squashmigrations changepassword
clearsessions createcachetable optimizemigration sqlflush sqlsequencereset help version
"""
_CONTAINERS = {
    "": _DOCKER,
    "compose": _COMPOSE,
    "container": "ls list ps start stop restart rm kill create prune rename wait pause unpause port top stats run exec",
    "image": "ls list build rm prune tag push save load import",
    "system": "df prune info",
    "buildx": "build bake ls create use rm stop du prune version",
}
_VERSIONS = "install use local global shell versions version list ls current which trust allow init rehash reload hook"
_RAILS = """
test t server s generate g destroy d new routes about stats notes middleware secret db: test: assets: zeitwerk: log:
tmp: app: webpacker: css: javascript: tailwindcss: active_storage: credentials:
"""
_GIT = """
add commit status diff show log branch checkout switch restore reset rebase merge cherry-pick revert stash tag init
config remote push mv rm clean rev-parse rev-list ls-files ls-tree cat-file blame annotate grep describe reflog bisect
worktree apply am format-patch archive shortlog for-each-ref show-ref merge-base symbolic-ref update-index update-ref
hash-object check-ignore check-attr check-ref-format diff-tree diff-index diff-files name-rev gc fsck prune repack
count-objects version help var filter-branch difftool mergetool whatchanged write-tree commit-tree read-tree mktree
range-diff cherry merge-tree merge-file sparse-checkout maintenance rerere interpret-trailers verify-commit verify-tag
pack-refs pack-objects bundle filter-repo stripspace shortlog replace fast-export column
"""
_WAYS = {
    "git": _GIT,
    "git remote": "add remove rm rename set-url get-url set-head set-branches prune -v",
    "git submodule": "status init deinit summary sync set-url set-branch absorbgitdirs",
    "git lfs": "track untrack ls-files status install uninstall env migrate push lock unlock locks prune version",
    "git subtree": "split push merge",
    "git notes": "add append edit list remove prune",
    "npm": _NODE,
    "npx": "",
    **dict.fromkeys(("pnpm", "yarn"), _NODE + _SCRIPTS + "exec store patch workspace workspaces import dedupe set"),
    "yarn workspaces": "foreach run list focus",
    "bun": _NODE + _SCRIPTS + "patch",
    "bun pm": "ls bin hash cache pack trust untrusted version",
    **dict.fromkeys(("pip", "pip3"), "install uninstall freeze list check config cache wheel hash help lock"),
    "uv": _PYTHON + " venv pip tool python cache tree format",
    "uv pip": "install sync compile uninstall freeze list check tree",
    "uv tool": "install uninstall list upgrade dir update-shell",
    "pipx": "install uninstall list upgrade upgrade-all inject ensurepath reinstall",
    **dict.fromkeys(
        ("poetry", "pdm", "pipenv", "hatch", "pixi", "rye"), _PYTHON + " test fmt cache clean use venv list"
    ),
    **dict.fromkeys(("conda", "mamba"), _PYTHON + " create activate deactivate list clean rename"),
    "cargo": """
    build b check c test t run r bench doc d rustdoc rustc new init add remove rm update fetch generate-lockfile clean
    clippy fmt fix tree metadata vendor package login version help nextest llvm-cov tarpaulin watch expand miri machete
    udeps make sort hack insta flamegraph bloat asm locate-project pkgid read-manifest uninstall config sqlx criterion
    """,
    "go": "build test vet fmt run mod generate clean env version work tool fix help telemetry",
    "go mod": "tidy download vendor init edit graph verify why",
    "gem": "install build push uninstall env update cleanup pristine lock",
    **dict.fromkeys(
        ("bundle", "bundler"),
        "install exec update add remove lock config check clean init version cache binstubs package",
    ),
    "composer": _SCRIPTS
    + """
    install i update u require remove dump-autoload dumpautoload validate run run-script exec init config test
    check-platform-reqs clear-cache reinstall bump start
    """,
    **dict.fromkeys(
        ("brew", "port"),
        "install uninstall remove update upgrade list ls services link unlink "
        "tap untap cleanup config bundle reinstall "
        "pin unpin deps leaves selfupdate doctor autoremove",
    ),
    **dict.fromkeys(
        ("apt", "apt-get", "aptitude", "dnf", "yum", "zypper", "apk"),
        "install remove purge update upgrade autoremove clean autoclean list "
        "build-dep dist-upgrade full-upgrade add del "
        "check makecache mark reinstall in rm ref refresh up fix groupinstall",
    ),
    **{
        f"{name} {group}".strip(): ways
        for name in ("docker", "podman", "nerdctl")
        for group, ways in _CONTAINERS.items()
    },
    "docker-compose": _COMPOSE,
    "rails": _RAILS,
    "artisan": """
    migrate test serve optimize list about up down migrate: make: route: cache: config: view: key: db: queue: storage:
    vendor: event: schedule: package: stub: horizon: lang: dump-autoload
    """,
    **dict.fromkeys(("manage.py", "django-admin", "django"), _DJANGO),
    "flask": "run routes db init-db --version",
    "liquibase": "update update- updateSQL rollback rollback- validate status tag changelog-sync clear-checksums init",
    "drizzle-kit": "generate generate: migrate push push: check check: up up: drop export",
    "prisma": "generate migrate format validate init version db",
    "prisma db": "push seed execute",
    "adb": (
        "devices install install-multiple uninstall push reboot start-server kill-server forward reverse connect root"
    ),
    "tilt": "up down ci trigger version doctor",
    "flutter": """
    build run test pub clean analyze doctor create format gen-l10n devices emulators config precache upgrade
    drive install
    """,
    "flutter pub": "get upgrade downgrade add remove deps outdated run test",
    "helm": "list ls repo dependency dep create package rollback test version env lint uninstall",
    "helm repo": "add list update remove index",
    "openssl": """
    req x509 genrsa rand enc dgst genpkey pkey rsa ec ecparam verify version pkcs12 pkcs8 passwd base64 ca crl asn1parse
    dhparam speed md5 sha256 sha1 list
    """,
    "dotnet": """
    build run test restore publish clean add remove list new sln solution tool ef format pack watch nuget
    workload msbuild
    dev-certs user-secrets help vstest
    """,
    "dotnet nuget": "push add remove locals list enable disable update",
    "dotnet tool": "install restore run update list uninstall",
    "mix": """
    test compile format deps deps. ecto. phx. assets. gettext. credo dialyzer run new release docs clean help setup lint
    local. archive. escript. ash. ash_postgres. oban. tailwind esbuild do xref coveralls sobelow loadpaths
    app. precommit
    """,
    "stack": (
        "build test run exec ghci setup init clean install bench haddock path new config hoogle ghc runghc repl purge"
    ),
    "cabal": (
        "build test run repl install configure update clean check haddock freeze init exec bench sdist v2- new- path"
    ),
    "opam": "install switch init update upgrade env exec pin remove config var reinstall lint clean lock option",
    "luarocks": "make install build remove list lint test pack config init path write_rockspec",
    "pod": "install update init repo lib deintegrate outdated cache setup",
    "typeorm": "migration: schema: entity: init version cache: subscriber:",
    "buf": "build lint format generate breaking mod dep ls-files config convert",
    "promtool": "check test",
    "pre-commit": """
    run install uninstall install-hooks clean gc migrate-config sample-config validate-config validate-manifest
    autoupdate init-templatedir hook-impl help
    """,
    "lerna": "run bootstrap version publish changed diff clean list ls la ll link create add init",
    "kustomize": "build edit create version fix help",
    "skaffold": "build render deploy delete fix init version config diagnose test apply help",
    "west": """
    build flash debug debugserver attach list topdir config boards shields sign status diff manifest twister completion
    zephyr-export help
    """,
    "simctl": "list boot shutdown install uninstall launch terminate create delete erase help",
    "pio": "run test check ci device init system project",
    "pio device": "list",
    **dict.fromkeys("mise asdf pyenv rbenv nvm fnm volta direnv".split(), _VERSIONS),
    **dict.fromkeys(
        "terraform tofu terragrunt".split(), "plan apply init validate fmt version workspace destroy get graph"
    ),
    "tmux": "ls list-sessions has-session has kill-session kill-server",
    "ip": "a addr address l link r route n neigh rule -br",
    "systemctl": "start stop restart reload enable disable daemon-reload is-active is-enabled list-units",
    "service": "start stop restart reload force-reload",
    "vagrant": "up halt destroy status reload validate",
    "mount": "",
}
WAYS = {name: tuple(ways.split()) for name, ways in _WAYS.items()}
# Options that take the next word, and those that never do, before a subcommand. The word after any other option is
# taken both for its value and for the subcommand.
_VALUED_BEFORE = {
    **dict.fromkeys(
        ("docker", "podman", "nerdctl"), "--context -c --config -H --host -l --log-level --tlscacert --url"
    ),
    **dict.fromkeys(
        ("docker-compose", "docker compose", "podman compose"),
        "-f --file -p --project-name --profile --env-file --project-directory --parallel --ansi --progress",
    ),
    "npm": "--prefix -C -w --workspace --registry --userconfig --cache --loglevel --globalconfig",
    "pnpm": "-C --dir -F --filter --filter-prod --reporter --loglevel",
    **dict.fromkeys(("yarn", "bun"), "--cwd --filter -F --registry --config"),
    "yarn workspaces": "--from --include --exclude -j --jobs",
    "cargo": "--config --manifest-path -Z --color --target-dir --package -p -C",
    "go": "-C",
    "adb": "-s -H -P -t -L",
    **dict.fromkeys(("flask",), "--app -A --env-file -e"),
    "rails": "-e --environment",
    **dict.fromkeys(("manage.py", "django-admin", "django"), "--settings --pythonpath --verbosity -v"),
    "helm": "--kube-context --kubeconfig -n --namespace --registry-config --repository-config",
    **dict.fromkeys(
        ("uv", "uv pip", "poetry", "pdm", "hatch", "pixi"), "--directory --project -C -p -P --python --color"
    ),
    **dict.fromkeys(("pip", "pip3"), "--proxy --log --timeout --retries --cert --cache-dir --python"),
    **dict.fromkeys(("conda", "mamba"), "-n --name -p --prefix"),
    "gem": "--config-file",
    **dict.fromkeys(("bundle", "bundler"), "--gemfile"),
    "composer": "-d --working-dir",
    **dict.fromkeys(("apt", "apt-get", "aptitude"), "-o -c -t --option --config-file --target-release"),
    "systemctl": "-H --host -M --machine",
    "tmux": "-L -S -f",
    "mise": "-C --cd -E --env",
    "opam": "--root --switch",
    "stack": "--package --resolver --stack-yaml",
    "prisma": "--schema",
    "flutter": "-d --device-id",
    "tilt": "--port --host --context",
    "luarocks": "--tree --server",
    "pre-commit": "-c --config --color",
    "lerna": "--scope --ignore --concurrency --since",
    "skaffold": "-f --filename -p --profile -n --namespace -m --module -d --default-repo",
    "west": "-z --zephyr-base",
    "liquibase": "--defaults-file --changelog-file --url --username --password",
}
_VALUED_WAYS = {name: frozenset(options.split()) for name, options in _VALUED_BEFORE.items()}
_ALONE_BEFORE = frozenset(
    """
    --silent --quiet --verbose --debug --no-color --no-pager --offline --locked --frozen --yes --json --no-cache
    --no-progress --no-input --isolated --workspaces --if-present --recursive --workspace-root --legacy-peer-deps
    --no-interaction --no-ansi --user --system --now --no-install-recommends -q -y -v -vv -s -r -D -A --all
    -qq --no-fund
    --no-audit --loud --ignore-scripts
    """.split()
)
# Programs that run a project's scripts by their names, and subcommands behind which stands another one.
_RUNS_SCRIPTS = frozenset(("pnpm", "yarn", "bun", "composer"))
_BEFORE_ANOTHER = frozenset(("yarn workspace", "yarn workspaces foreach"))
_RUN_WITH = dict.fromkeys(("stack", "opam", "cabal"), "exec")
# Options with which a local way tells what an index says.
_TELLS = {("pip", "install"): "--report", ("pip3", "install"): "--report"}
OTHERS_BRANCHES = (
    *("origin/", "upstream/", "origin:", "upstream:", "FETCH_HEAD", "@{u", "@{upstream", "@{push", "refs/remotes"),
    *("refs/pull", "refs/merge-requests"),
)
# With what the names of one's own branches and of a project's folders begin: `a/b` is else a branch of a remote.
_OWN_NAMES = frozenset(
    """
    feature features feat fix fixes bugfix hotfix chore docs doc refactor test tests release releases wip task issue
    issues perf style ci build dev user users claude codex heads tags spike experiment backup src lib libs app apps
    packages pkg cmd internal spec specs scripts script bin config configs server client backend frontend web api core
    common shared components pages public assets static include examples example tools crates modules services utils
    infra deploy templates plugins cli ui db migrations hooks benchmarks ios android
    """.split()
)
# What the forges' tools say of a thing that they have made is its address.
_MAKES = "create comment set".split()
_FORGE: dict[str, Sequence[str]] = {
    **dict.fromkeys("auth config version help alias completion".split(), ()),
    **dict.fromkeys("pr mr issue label release gist secret variable".split(), _MAKES),
    "repo": ("set-default", "create"),
}
# Options with which a local program starts another one, which is their value.
STARTS = {
    "rg": ("--pre", "--hostname-bin"),
    "tar": (
        *("--checkpoint-action", "--to-command", "--use-compress-program", "-I", "--info-script", "-F"),
        *("--new-volume-script", "--rmt-command", "--rsh-command"),
    ),
    "sort": ("--compress-program",),
    "split": ("--filter",),
    **dict.fromkeys(("bat", "ack", "ag"), ("--pager",)),
    "zip": ("-TT", "--unzip-command"),
    "npm": ("--script-shell",),
    **dict.fromkeys(("gcc", "g++", "cc", "c++"), ("-wrapper",)),
    "install": ("--strip-program",),
}
_GIT_STARTS = Pattern(r"--ext-diff|--textconv|--open-files-in-pager.*|-O.*|--(?:upload|receive)-pack.*|--exec=.*")
FORGES = frozenset(("gh", "glab"))
# Programs that run the one that they are given: their options that take a word, and the number of their own words.
WRAPPERS = {
    **dict.fromkeys(
        "command builtin exec setsid nohup unbuffer caffeinate coproc fakeroot xvfb-run xcrun".split(), ("a", 0)
    ),
    **dict.fromkeys("strace ltrace".split(), ("abeEIoOpPSsuUX", 0)),
    **dict.fromkeys("sudo doas".split(), ("CDghpRrTtUu", 0)),
    **dict.fromkeys("chroot taskset chrt setarch".split(), ("", 1)),
    "env": ("uC", 0),
    "nice": ("n", 0),
    "ionice": ("cnPpu", 0),
    "timeout": ("ks", 1),
    "time": ("fo", 0),
    "stdbuf": ("ioe", 0),
    "watch": ("n", 0),
    "flock": ("wE", 1),
    "xargs": ("aEdIiLnPs", 0),
    "parallel": ("jaINSP", 0),
    "hyperfine": ("wrmMSpcnLD", 0),
    "busybox": ("", 0),
    "unshare": ("", 0),
    "su": ("cgGsw", 1),
    "script": ("cEIoOBmT", 1),
}
FINDERS = frozenset(("find", "fd"))
CONTAINERS = frozenset("docker podman nerdctl docker-compose".split())
# Options of `docker run` and `exec` that take no word.
_DETACHED = Pattern(r"--detach(?:=true)?|--wait|--no-start|--dry-run|-[a-zA-Z]*d[a-zA-Z]*")  # options of `compose up`
_ALONE = frozenset("--rm --privileged --init --tty --interactive --detach --no-deps --build --no-TTY".split())
# Programs to which a place or a command is a text to show, look for, keep or name a file by.
TEXTUAL = (SHOWS - {"awk", "find", "sed", "journalctl"}) | frozenset(
    "[ [[ test export local declare read case for cd mkdir touch rm cp mv ln chmod tee cut tr xxd base64 date which "
    "type hash alias unset set git go cargo true false sleep keepstone pgrep pkill kill mktemp basename".split()
)
_INTERPRETER = Pattern(
    r"(?:python|pypy|node|nodejs|ruby|perl|deno|bun|php|lua|luajit|r|rscript|julia|elixir|iex|erl|groovy|tclsh|expect|"
    r"osascript|ghci|runhaskell|jshell|irb|tsx|ts-node|scala)[\d.]*"
)
_CODE = frozenset(("-c", "-lc", "-ec", "-e", "-r", "-p", "--eval", "--execute", "eval", "-eval", "-E", "-ne", "-pe"))
_CHECKS = frozenset((("php", "-l"), ("node", "--check"), ("ruby", "-wc"), ("node", "--test"), ("tsx", "--test")))
# Options of fetchers that take a word which is no address, and those that send them elsewhere than the addresses say.
_VALUED = {
    "curl": Pattern(r"-[#sSfLkiIvgnN46]*[HXdouAmbeFw]|--(?:header|request|data|output|user|max-time|write-out)"),
    "wget": Pattern(r"-[qSc46]*[OoTt]|--(?:header|user|output-document|timeout|tries)"),
}
_DIVERTS = {
    "curl": Pattern(
        r"-[#sSfLkiIvgnN46q]*[Kx].*|--(?:config|proxy|preproxy|socks|connect|resolve|doh|dns|unix|abstract|hapr).*"
    ),
    "wget": Pattern(r"-[a-zA-Z]*[ieB].*|--(?:in|ex|b|con).*"),
}
_DIVERTS_ANY = Pattern(r"-[a-zA-Z]*[Kxie].*|--(?:in|ex|con|proxy|socks|resolve|base).*")
_NOTHING = Pattern(r"(?!)")
_ASKS = frozenset("--version --help -V -h --manual".split())
_COMMON = frozenset("http https mail links fly mc az bq nc oc".split())  # words of code and prose, too
_NAMED = Pattern(r"(?<![\w./-])(?:" + "|".join(map(re.escape, sorted(FETCHERS - _COMMON))) + r")\s+\S")
_FETCHES = Pattern(r"(?:\S*/)?(?:" + "|".join(map(re.escape, sorted(FETCHERS - _COMMON))) + r")")
# Variables that hold a command which programs start, and those that hold their options; and options that load code.
_HOLDS_COMMAND = Pattern(
    r"\w*(?:PAGER|EDITOR|VISUAL|BROWSER|ASKPASS|COMMAND|CMD|_DIFF|_SHELL|_RSH|_PROXY_COMMAND)|SHELL|LESSOPEN|LESSCLOSE|"
    r"GIT_SSH|GIT_CONFIG_(?:VALUE_\d+|PARAMETERS)|BASH_ENV|ENV|LD_PRELOAD|PYTHONSTARTUP|PERL5DB"
)
_HOLDS_OPTIONS = Pattern(r"NODE_OPTIONS|RUBYOPT|PERL5OPT|BUN_OPTIONS|TAR_OPTIONS")
_LOADS_MORE = Pattern(
    r"(?:^|\s)-(?:[rMmI]|-(?:require|import|loader|experimental-loader|preload|checkpoint|to-command))"
)
# How an address without a scheme begins.
_HOST = Pattern(r"[\w-]+@|git::?|[\w-]+(?:\.[\w-]+)*\.[a-z]{2,12}[:/]\w", re.IGNORECASE)
_PLACE = Pattern(r"\b([a-z][a-z\d+.-]*)://([^\s'\"<>|)\]}`]*)", re.IGNORECASE)
_HERE = Pattern(  # addresses on this machine are the user's own
    r"(?:[a-z][a-z\d+.-]*://)?(?:[^/@\s]*@)?(?:localhost|127(?:\.\d{1,3}){3}|0\.0\.0\.0|\[::1\]?)(?::\d+)?(?:[/?#].*)?",
    re.IGNORECASE | re.DOTALL,
)
_DEVICE = Pattern(r"/dev/(?:(?:tcp|udp)/|[\w/]*\$)")
_QUOTES = Pattern(r"['\"\\]")
_SETS_PLACE = Pattern(r"(?:^|[\s;&|(])\w+=['\"]?([a-z][a-z\d+.-]*://[^\s'\"]+)", re.IGNORECASE)
_AWK_RUNS = Pattern(r"\bsystem\s*\(|\|&?\s*(?:getline|\()|/inet")
_SED_RUNS = Pattern(r"(?:^|[;{}\n\d$/])\s*e(?:\s+\S|\s*$)|/[gpIiMm\d]*e[gpIiMmw\d]*$")
_DEBUGGER_RUNS = Pattern(r"^\s*(?:shell|!|pi?pe?\b|\||py|source|platform|command script)", re.IGNORECASE)
_GIT_FETCHES = (["remote", "update"], ["remote", "show"], ["archive", "--remote"])
_GIT_BRINGS = frozenset("fetch pull clone".split())
_BEFORE_WAY = frozenset("-c -C --git-dir --work-tree --namespace --super-prefix --attr-source".split())
_GIT_VALUED = frozenset(
    "-S -G -L -O -e -n -m -b -B --grep --author --committer --since --until --after --before --format --pretty "
    "--date --max-count --skip --output -o".split()
)
_SHOWS_REVISIONS = frozenset(
    """
    log show whatchanged shortlog rev-list format-patch cherry range-diff cat-file cherry-pick diff-tree diff difftool
    grep blame annotate ls-tree merge archive reset
    """.split()
)
# Subcommands that tell nothing of a commit's words, or only of one's own.
_QUIET = frozenset(
    """
    add status push mv rm clean init config remote restore merge rebase apply lfs fetch describe
    pull clone ls-files rev-parse merge-base check-ignore check-attr check-ref-format hash-object write-tree read-tree
    mktree update-index update-ref symbolic-ref show-ref pack-refs pack-objects gc fsck prune repack count-objects
    sparse-checkout maintenance rerere var version help stripspace mergetool diff-index diff-files merge-file name-rev
    """.split()
)
_NO_BRANCH = frozenset(("--detach", "-d", "-"))
_NEW_BRANCH = frozenset(("-b", "-B", "-c", "-C", "--orphan", "--create"))
# What names a commit or a tag rather than a branch of one's own.
_REVISION = Pattern(
    r"[0-9a-f]{7,64}|[A-Z_]*HEAD|nightly|latest|stable|[^/]*\d[^/]*|.*[~^]\d*|.*@\{.*|(?:origin|upstream|fork|refs|tags)/.*"
)
# What git has noted of a fetch, of commits and of what is to be one.
_KEPT_BY_GIT = Pattern(
    r"\.git/[^\s;&|'\"]*(?:_HEAD\b|MSG\b|logs\b|packed-refs\b|rebase-|sequencer|refs/(?:remotes|stash|notes)|\*)|"
    r"\bFETCH_HEAD\b"
)
_TELLS_WITH = {  # options, or a part in two words, with which a subcommand tells of a commit's words
    **dict.fromkeys(("branch", "tag", "for-each-ref"), ("-v", "-n", "--format", "--verbose")),
    "reset": ("--hard", "--keep", "--merge"),  # "HEAD is now at 1a2b3c4 Fix the header"
    "commit": ("--amend", "--fixup", "--squash", "--reuse", "--reedit", "-C", "-c"),
    "worktree": ("add",),
    "submodule": ("summary", "update"),
}
# What others may have written is taken in, or shown.
_TAKES_PATCHES = Pattern(r"am(?: |$)|bundle (?:unbundle|verify|list-heads)\b")
_QUIET_WITH = frozenset(("--abort", "--quit", "--count"))
_REMOTES = frozenset("origin upstream fork".split())  # by their usual names
_RANGE = Pattern(r"\.{2,3}")
_FROM_IT = Pattern(r"[~^@].*")
_FILE = Pattern(r"(?:^|/)(?:[^/]*\.[A-Za-z]\w{0,9}|[A-Z][a-z]+file|LICENSE|README|CHANGELOG)$|[*]")
_CHECKS_OUT = Pattern(r"\b(?:gh|glab|hub)\s(?:[^\n;&|]*\s)?(?:checkout|clone|sync|fork|co)\b")
_GIT_ADDS = frozenset("add commit push repack worktree stash gc config".split())  # `--all` means all of one's own
_GIT_SETS = Pattern(  # settings that run nothing
    r"(?:user|color|commit|tag|advice|init|merge|push|pull|safe|log|status)\.\w+=[^!]*|"
    r"core\.(?:quotepath|autocrlf|bare|abbrev)=\w+",
    re.IGNORECASE,
)
_OTHERS = Pattern(r"(?:^| )(?:-\w*[ar]|--all|--remotes)")
_GIT_COMPARES = frozenset("diff log show grep blame cat-file stash whatchanged format-patch push archive".split())
_GIT_RUN_BY = Pattern(r"(?:pager|editor|external|command|textconv|cmd|process|smudge|clean|askpass|program)$", re.I)
_GIT_RUNS = frozenset("bisect filter-branch difftool mergetool rebase".split())
_FINDER_RUNS = frozenset("-exec -execdir -ok -okdir -x -X --exec --exec-batch".split())
_STARTERS = frozenset("perf valgrind heaptrack memray py-spy gdb lldb trap".split())
# Programs in which -c, -e, -p and -r are no code.
_PLAIN_LETTERS = frozenset("tar make pytest tox jq cmake gcc g++ cc ps uniq sort zip install jest vitest ctest".split())
_TAKE_TEXTS = frozenset("hyperfine watch parallel flock".split())
_RUNTIME_WAYS = frozenset("test fmt lint check install build task".split())
# Goals of Maven's plugins that do a project's own work, and its options that take a word.
_GOALS = tuple(
    """
    compiler: surefire: failsafe: resources: jar: war: ear: install: deploy: clean: site: source: javadoc:
    assembly: shade: antrun: checkstyle: pmd: spotbugs: jacoco: spotless: fmt: formatter: license: enforcer:
    versions:set versions:commit versions:revert dependency:tree dependency:resolve dependency:list
    dependency:analyze dependency:copy dependency:go-offline dependency:build-classpath spring-boot:build
    spring-boot:repackage flyway:migrate flyway:clean flyway:validate liquibase:update release: wrapper:
    archetype:generate quarkus:build quarkus:test protobuf: antlr4: jooq-codegen: openapi-generator: rewrite:
    sortpom: impsort: spring-javaformat: kotlin: scala: exec:java help:evaluate pitest: jib: dependency:unpack
    dependency:purge-local-repository versions:use- build-helper: ktlint: native: gpg:
    """.split()
)
_MAVEN_VALUED = frozenset("-pl --projects -rf --resume-from -P --activate-profiles -f --file -s --settings".split())
_SHELL_NAMES = frozenset("sh bash dash zsh ash ksh pwsh".split())
# Files with which a shell is made ready to work: all other scripts may do anything.
_READY = frozenset(
    "activate nvm.sh conda.sh env env.sh venv.sh .env .envrc .bashrc .zshrc .profile .bash_profile".split()
)
_SHORTEST = 5  # letters of an option that is cut short
_DEPTH = 4  # levels of commands within arguments that are checked
_MOST = 100  # substitutions per line that are checked
_LONGEST = 20_000  # characters of a script, without here-documents, that are checked


def brings_outside(script: str, depth: int = _DEPTH) -> bool:
    """Tells whether a shell line may print what comes from elsewhere: whether any of its commands, also in
    substitutions, here-documents and arguments, fetches, or is not known to work on this machine alone.
    """
    if not depth or not any(map(str.isalnum, script)):
        return any(map(str.isalnum, script))
    line, documents = parted(script)
    if len(line) > _LONGEST or _DEVICE.search(_QUOTES.sub("", line)):
        return True
    inner = substitutions(line) + [one for text in documents if not text.literal for one in substitutions(text.body)]
    if len(inner) > _MOST or any(brings_outside(one, depth - 1) for one in inner):
        return True
    runs = [one.words for one in commands(line, most=_LONGEST)]
    if any(not _is_here(place) for place in _SETS_PLACE.findall(line)) and not all(map(_is_textual, runs)):
        return True
    try:
        if any(_assigns_outside(word, depth) for word in assigned(line, _LONGEST)):
            return True
        return any(_brings(run, depth) for run in runs) or any(_is_run(text, depth) for text in documents)
    except RecursionError:  # nobody writes a thousand wrappers around a command to do work
        return True


def _is_run(text: Document, depth: int) -> bool:
    """Tells whether a here-document is given to a program that runs it, and brings something."""
    names = {_name(word) for word in text.line.split()}
    if names & _SHELL_NAMES and brings_outside(text.body, depth - 1):
        return True
    return any((_is_interpreter(name) or name == "bun") and _reaches(name, text.body) for name in names)


def _assigns_outside(word: str, depth: int) -> bool:
    """Tells whether an assignment holds a command that brings something: its variable is known to hold one that others
    start, or its value is one that fetches.
    """
    name, _, value = word.partition("=")
    if _HOLDS_COMMAND.fullmatch(name):
        return brings_outside(value, depth - 1)
    if _HOLDS_OPTIONS.fullmatch(name):
        return bool(_LOADS_MORE.search(value))
    return bool(_NAMED.search(value) or _FETCHES.fullmatch(value))


def _declarer_brings(name: str, words: Sequence[str], depth: int) -> bool:
    return any(_assigns_outside(word, depth) for word in words[1:] if is_assignment(word))


def _alias_brings(name: str, words: Sequence[str], depth: int) -> bool:
    return any(brings_outside(word.partition("=")[2], depth - 1) for word in words[1:])


def _brings(words: Sequence[str], depth: int) -> bool:
    """Tells whether a simple command may print what comes from elsewhere."""
    name = _name(words[0]) if words else ""
    if not any(map(str.isalnum, words[0] if words else "")) and name not in LOCAL and name != ".":
        # a torn piece of shell syntax starts nothing, but a substitution in a command's place starts anything
        return list(words) == ["$"] or (len(words) > 1 and _brings(words[1:], depth))
    run = list(words) if name in WRAPPERS else started(list(words))
    if len(run) < len(words):
        return not run or _brings(run, depth)
    return _JUDGES.get(name, _interpreter_brings if _is_interpreter(name) else _local_brings)(name, words, depth)


def _told(words: Sequence[str]) -> list[str]:
    return [word for word in words[1:] if not word.startswith("-")]


def _eval_brings(name: str, words: Sequence[str], depth: int) -> bool:
    return brings_outside(" ".join(words[1:]), depth - 1)


def _sourced_brings(name: str, words: Sequence[str], depth: int) -> bool:
    return len(words) < 2 or _name(words[1]).removesuffix(".fish") not in _READY


def _fetcher_brings(name: str, words: Sequence[str], depth: int) -> bool:
    return not (name in BY_ADDRESS and _are_here(name, words[1:]))


def _finder_brings(name: str, words: Sequence[str], depth: int) -> bool:
    starts = [at + 1 for at, word in enumerate(words) if word in _FINDER_RUNS]
    return any(_brings(words[at:], depth) for at in starts)


def _local_brings(name: str, words: Sequence[str], depth: int) -> bool:
    """Tells whether a program is not known to be local, or is told to do something that is not."""
    if name not in LOCAL and name not in WAYS:
        return True
    if name == "service":
        words = [*words[:1], *words[2:]]  # the service's name comes first
    reads = list(_read_ways(name, words[1:])) if name in WAYS else []
    if any(not _is_local_way(*read) or _starts_another(*read, depth) for read in reads):
        return True
    return _starts_outside(name, words, depth) or (name not in TEXTUAL and _is_told_elsewhere(name, words))


def _read_ways(name: str, words: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """Yields a program, or a program and its first subcommand, with its subcommand and what follows: once for each way
    in which the words before it can be read.
    """
    rest = list(words)
    while rest and rest[0][:1] in ("-", "+"):
        option = rest.pop(0)
        if option in _VALUED_WAYS.get(name, ()):
            rest = rest[1:]
        elif not (option[0] == "+" or "=" in option or option in _ALONE_BEFORE or not rest or rest[0][:1] == "-"):
            yield from _read_ways(name, rest[1:])
    group = f"{name} {rest[0]}" if rest else ""
    if group in _BEFORE_ANOTHER:
        yield from _read_ways(name, rest[2 if group == "yarn workspace" else 1 :])
    elif group in WAYS:
        yield from _read_ways(group, rest[1:])
    else:
        yield name, rest


def _starts_another(name: str, rest: Sequence[str], depth: int) -> bool:
    """Tells whether a subcommand starts another program, or is its name, and that brings something."""
    if rest and name in _RUNS_SCRIPTS and (rest[0] in LOCAL or rest[0] in WAYS):
        return rest[0] not in WAYS[name] and _brings(rest, depth)
    if not rest or rest[0] != {**RUN_WITH, **_RUN_WITH}.get(name):
        return False
    inner = started([name, *rest]) if name in RUN_WITH else _told(["", *rest[1:]])
    return inner[:1] != [name] and bool(inner) and _brings(inner, depth)


def _is_local_way(name: str, rest: Sequence[str]) -> bool:
    """Tells whether a subcommand is known to stay on this machine. Of a package manager of JavaScript's it may be a
    script of the project's, or a program.
    """
    if not rest:
        return True
    way = rest[0]
    tells = _TELLS.get((name.split()[-1], way), "")
    if tells and any(_is_option(word, tells) for word in rest):
        return False
    if name in _RUNS_SCRIPTS and (":" in way or way in LOCAL or way in WAYS):
        return True
    return any(way == one or (one[-1] in ":.-" and way.startswith(one)) for one in WAYS[name])


def _starts_outside(name: str, words: Sequence[str], depth: int) -> bool:
    """Tells whether an option starts a program that brings something."""
    for word, after in zip(words, [*words[1:], ""], strict=True):
        _, equals, value = word.partition("=")
        if any(_is_option(word, one) for one in STARTS.get(name, ())):
            if brings_outside((value if equals else after).removeprefix("exec="), depth - 1):
                return True
    return False


def _is_option(word: str, option: str) -> bool:
    """Tells whether a word is an option, which may be cut short."""
    given = word.partition("=")[0]
    return option.startswith(given) and len(given) >= min(len(option), _SHORTEST)


def _is_told_elsewhere(name: str, words: Sequence[str]) -> bool:
    """Tells whether the words of a local command name a place elsewhere, or hold a command or code that reaches one."""
    if name in _STARTERS and any(_name(word) in FETCHERS for word in words[1:]):
        return True
    if not _CODE.isdisjoint(words[1:]) and name not in _PLAIN_LETTERS and any(map(has_words, words)):
        return True
    return any(_NAMED.search(word) for word in words[1:] if " " in word) or any(map(_has_far_place, words[1:]))


def _editing_brings(name: str, words: Sequence[str], depth: int) -> bool:
    """Tells whether a program of awk, sed or a debugger runs another one."""
    runs = {"sed": _SED_RUNS, "gdb": _DEBUGGER_RUNS, "lldb": _DEBUGGER_RUNS}.get(name, _AWK_RUNS)
    hidden = runs is _AWK_RUNS and "-f" in words
    return (
        hidden
        or any(runs.search(word) or _NAMED.search(word) for word in words[1:])
        or (runs is _DEBUGGER_RUNS and _local_brings(name, words, depth))
    )


def _go_brings(name: str, words: Sequence[str], depth: int) -> bool:
    runs = any(rest[:1] == ["run"] and any("@" in word for word in rest) for _, rest in _read_ways(name, words[1:]))
    return runs or _local_brings(name, words, depth)


def _maven_brings(name: str, words: Sequence[str], depth: int) -> bool:
    """Tells whether a goal of Maven's is not known to do a project's own work. Its phases have no colon."""
    told = zip(words, words[1:], strict=False)
    goals = [word for last, word in told if ":" in word and word[:1] != "-" and last not in _MAVEN_VALUED]
    return not all(goal.startswith(_GOALS) for goal in goals) or _local_brings(name, words, depth)


def _kustomize_brings(name: str, words: Sequence[str], depth: int) -> bool:
    return any(map(_HOST.match, words[1:])) or _local_brings(name, words, depth)


def _vale_brings(name: str, words: Sequence[str], depth: int) -> bool:
    return "sync" in words[1:] or _local_brings(name, words, depth)


def _is_textual(words: Sequence[str]) -> bool:
    return bool(words) and _name(words[0]) in TEXTUAL


def _has_far_place(word: str) -> bool:
    return any(not _is_here(found[0]) for found in _PLACE.finditer(word))


def _is_here(place: str) -> bool:
    scheme, slashes, rest = place.partition("://")
    return bool(_HERE.fullmatch(place)) or scheme.lower() == "file" or (bool(slashes) and rest[:1] in ("", "/"))


def _wrapper_brings(name: str, words: Sequence[str], depth: int) -> bool:
    """Tells whether the command that a program runs brings something."""
    told, (valued, own) = words[1:], WRAPPERS[name]
    at = 0
    while at < len(told) and (told[at].startswith("-") or is_assignment(told[at])):
        at += 2 if len(told[at]) == 2 and told[at][1:] in valued else 1
    if name == "command" and {"-v", "-V"} & set(told[:at]):
        return False
    if any(_assigns_outside(word, depth) for word in told[:at] if is_assignment(word)):
        return True
    if any(" " in word and brings_outside(word, depth - 1) for word in told[:at] if word[0] != "-" and "=" not in word):
        return True
    inner = list(told[at + own :])
    while inner and is_assignment(inner[0]):
        if _assigns_outside(inner[0], depth):
            return True
        inner = inner[1:]
    return _gives_fetcher(name, told, inner) or _inner_brings(name, told, inner, depth)


def _gives_fetcher(name: str, told: Sequence[str], inner: Sequence[str]) -> bool:
    """Tells whether a fetcher is among the words, wherever the command starts. What an installer or `grep` is told of a
    fetcher runs none.
    """
    fetchers = [word for word in told if _name(word) in FETCHERS]
    named = _name(inner[0]) if inner else ""
    if not fetchers or named in TEXTUAL or named in WAYS:
        return False
    return name in ("xargs", "parallel") or fetchers != list(inner[:1])


def _inner_brings(name: str, told: Sequence[str], inner: Sequence[str], depth: int) -> bool:
    if name in ("su", "script"):  # a user's or a file's name stands before and after the options
        return any(
            brings_outside(word, depth - 1) for last, word in zip(told, told[1:], strict=False) if last in ("-c", "-qc")
        )
    texts = [word for word in inner if " " in word] if name in _TAKE_TEXTS else []
    if texts and (texts[0] == inner[0] or inner[0].startswith("-")):
        return any(brings_outside(word, depth - 1) for word in texts)
    return bool(inner) and _brings(inner, depth)


def _shell_brings(name: str, words: Sequence[str], depth: int) -> bool:
    """Tells whether what a shell is given to run brings something. Without anything it runs its input."""
    told = _told(words)
    if "-n" in words[1:3] or {"--version", "--help"} & set(words[1:2]):
        return False
    code = next((at for at, word in enumerate(words) if word[:1] == "-" and word[:2] != "--" and "c" in word), 0)
    if code:
        return code + 1 >= len(words) or brings_outside(words[code + 1], depth - 1)
    if not told or told[0] == INPUT_MARK:
        return not told or any(brings_outside(word, depth - 1) for word in told[1:])
    return not _is_known(told[0]) or _brings(words[words.index(told[0]) :], depth)  # a script may do anything


def _is_known(word: str) -> bool:
    return _name(word) in LOCAL


def _interpreter_brings(name: str, words: Sequence[str], depth: int) -> bool:
    """Tells whether code that an interpreter is given may bring something. Without any it runs its input."""
    rest, told = list(words[1:]), _told(words)
    if any((name, word) in _CHECKS for word in rest[:1]):
        return False
    if "-m" in rest and name.startswith(("python", "pypy")):
        module = rest[rest.index("-m") + 1 :]
        return not module or _brings(module, depth)
    code = min((at for at, word in enumerate(rest) if word in _CODE or _is_code(word)), default=len(rest))
    script = next((word for word in rest[:code] if _is_known(word)), "")
    if script:
        return _brings(rest[rest.index(script) :], depth)
    if loads(name, rest[: code + 1]):
        return True
    if code < len(rest):
        return code + 1 >= len(rest) or any(_reaches(name, word) for word in rest[code + 1 :])
    if told[:1] == [INPUT_MARK]:
        return any(_reaches(name, word) for word in told[1:])
    if told:
        return name != "deno" or told[0] not in _RUNTIME_WAYS or any(map(_has_far_place, rest))
    return not (rest and all(word.startswith("--") or word in ("-V", "-v", "-h") for word in rest))


def _is_code(word: str) -> bool:
    """Tells whether a word is a cluster of options that ends in code: `-we`, `-lane`."""
    return word[:1] == "-" and word[1:].isalpha() and word[-1] in "ec" and len(word) > 2


def _bun_brings(name: str, words: Sequence[str], depth: int) -> bool:
    """Tells whether bun runs code or a file, which may do anything, or fetches. What `package.json` names is the
    project's own.
    """
    told = _told(words)
    if not told or not _CODE.isdisjoint(words[1:]):
        return _interpreter_brings(name, words, depth)
    script = told[1:2] if told[0] == "run" else told[:1]
    is_file = any("." in word or "/" in word or word == INPUT_MARK for word in script)
    return is_file or _local_brings(name, words, depth)


def _reaches(name: str, code: str) -> bool:
    """Tells whether code may start processes, open connections or databases, or loads what may."""
    return reaches(name, code) or bool(_NAMED.search(code)) or _has_far_place(code)


def _forge_brings(name: str, words: Sequence[str], depth: int) -> bool:
    """Tells whether a forge's tool shows what is there, which anyone may have written."""
    told = words[1:]
    if {"--version", "--help", "-h"} & set(told):
        return False
    plain: list[str] = []
    for last, word in zip(("", *told), told, strict=False):
        plain += [] if word[:1] == "-" or last in ("-R", "--repo", "--hostname") else [word]
    noun, verb = (*plain, "", "")[:2]
    return noun not in _FORGE or (bool(_FORGE[noun]) and verb not in _FORGE[noun])


def _container_brings(name: str, words: Sequence[str], depth: int) -> bool:
    """Tells whether a command in a container shows what is there, or does not do a project's own work."""
    read = [rest for _, rest in _read_ways(name, words[1:])]
    if any(rest[:1] == ["up"] and not any(map(_DETACHED.fullmatch, rest)) for rest in read):
        return True  # what the services say
    runs = [rest for rest in read if rest[:1] in (["run"], ["exec"])]
    return any(_run_brings(rest, depth) for rest in runs) or _local_brings(
        name, words if not runs else words[:1], depth
    )


def _run_brings(words: Sequence[str], depth: int) -> bool:
    """Tells whether what `run` or `exec` starts in a container brings something."""
    way, at, detached = words[0], 1, False
    while at < len(words) and words[at].startswith("-"):
        word = words[at]
        flags = word[1:] if word[:2] != "--" else ""
        detached = detached or word == "--detach" or ("d" in flags and set(flags) <= set("itdT"))
        at += 1 if word in _ALONE or "=" in word or (flags and set(flags) <= set("itdT")) else 2
    inner = words[at + 1 :]
    if not inner:
        return way == "exec" or not detached
    run = [word.words[0] for text in inner if " " in text for word in commands(text)]
    return not SHOWS.isdisjoint(map(_name, (inner[0], *run))) or _brings(inner, depth)


def _git_brings(name: str, words: Sequence[str], depth: int) -> bool:
    """Tells whether a git command shows what others have pushed, fetches it, or runs a program."""
    rest = list(words[1:])
    while rest[:1] and rest[0].startswith("-"):
        sets = rest[0] == "-c" and not _GIT_SETS.fullmatch(rest[1] if rest[1:] else "")
        if sets or rest[0].startswith(("--exec-path=", "--config-env")):
            return True
        rest = rest[2 if rest[0] in _BEFORE_WAY else 1 :]
    if not rest:
        return False
    return not _stays(rest) or _shows_others(rest) or _git_runs(rest, depth)


def _stays(rest: Sequence[str]) -> bool:
    """Tells whether git is known to do this on this machine alone."""
    return all(_is_local_way(*read) for read in _read_ways("git", rest)) and list(rest[:2]) not in _GIT_FETCHES


def _shows_others(rest: Sequence[str]) -> bool:
    """Tells whether a git command shows what others have pushed: names a branch of theirs."""
    way, said = rest[0], " ".join(rest)
    if _TAKES_PATCHES.match(said) and _QUIET_WITH.isdisjoint(rest):
        return True
    if any(mark in word for word in rest for mark in OTHERS_BRANCHES):
        return True
    if way == "branch":
        return "v" in "".join(word for word in rest if word[:1] == "-") and bool(_OTHERS.search(said))
    if way in _SHOWS_REVISIONS and any(map(_is_others, _revisions(rest))):
        return True
    everything = any(word == "--all" or word.startswith(("--remotes", "--glob", "--remote=")) for word in rest)
    return way == "show-branch" or (everything and way not in _GIT_ADDS)


def _revisions(rest: Sequence[str]) -> list[str]:
    """Returns the words after a git subcommand that may be revisions, ranges in parts, and without a file's path."""
    until = 1 if "--no-index" in rest else rest.index("--") if "--" in rest else len(rest)
    told = rest[1:until]
    plain = [
        word
        for last, word in zip(("", *told), told, strict=False)
        if word[:1] != "-" and last not in _GIT_VALUED and not any(map(str.isspace, word))
    ]
    if rest[0] == "grep":  # a pattern comes first
        plain = plain[1:]
    return [part.partition(":")[0] for word in plain for part in _RANGE.split(word)]


def _is_others(revision: str) -> bool:
    """Tells whether a revision is a branch of a remote's: not one of the user's own by its name, nor a file."""
    first, slash, rest = revision.partition("/")
    if not slash:
        return _FROM_IT.sub("", revision) in _REMOTES
    is_path = first[:1] in (".", "~", "", "$", "*") or not rest or rest.endswith("/") or bool(_FILE.search(rest))
    return not is_path and (first.lower() != "refs" or _is_others(rest)) and first.lower() not in _OWN_NAMES


def fetches(script: str) -> bool:
    """Tells whether git brings commits from elsewhere, which it shows from then on."""
    return any(not _stays(rest) or rest[0] in _GIT_BRINGS for rest in _gits(script)) or bool(_CHECKS_OUT.search(script))


def shows_commits(script: str) -> bool:
    """Tells whether git shows what commits say: once others' were fetched, they may be among them."""
    return any(map(_shows_commits, _gits(script))) or bool(_KEPT_BY_GIT.search(script))


def _shows_commits(rest: Sequence[str]) -> bool:
    way, options = rest[0], [word for word in rest[1:] if word[:1] == "-"]
    told = [word for word in rest[1:] if word[:1] != "-"]
    if way in ("diff", "difftool", "grep"):
        said = [word for word in _revisions(rest) if word not in ("", "HEAD") and not _FILE.search(word)]
        return any(word.split("/")[0] not in _OWN_NAMES for word in said)
    if way in ("checkout", "switch"):
        is_branch = "--" in rest or not _NEW_BRANCH.isdisjoint(options)
        return not is_branch and (not _NO_BRANCH.isdisjoint(rest) or any(map(_REVISION.fullmatch, told)))
    if way == "stash":  # "Saved working directory and index state WIP on main: 1a2b3c4 Fix the header"
        is_named = any(word.startswith("--message") or (word[:2] != "--" and "m" in word) for word in options)
        return told[:1] in (["list"], ["show"]) or (told[:1] in ([], ["push"], ["save"]) and not is_named)
    if way in _TELLS_WITH:
        return any(word.startswith(_TELLS_WITH[way]) for word in rest[1:])
    return way not in _QUIET and _QUIET_WITH.isdisjoint(options)


def _gits(script: str, depth: int = _DEPTH) -> Iterator[list[str]]:
    """Yields what each `git` of a shell line is told: its subcommand and what follows."""
    if not depth or "git" not in script:
        return
    line, _ = parted(script)
    runs = [one.words for one in commands(line, most=_LONGEST)]
    texts = [word for run in runs if not _is_textual(run) for word in run if " " in word]
    for inner in (*substitutions(line)[:_MOST], *texts):
        yield from _gits(inner, depth - 1)
    for run in runs:
        at = next((at for at, word in enumerate(run) if _name(word) == "git"), len(run))
        rest = _after_options(run[at + 1 :]) if at == 0 or not _is_textual(run) else []
        if rest:
            yield rest


def _after_options(words: Sequence[str]) -> list[str]:
    """Returns a git subcommand and what follows it."""
    rest = list(words)
    while rest[:1] and rest[0].startswith("-"):
        rest = rest[2 if rest[0] in _BEFORE_WAY else 1 :]
    return rest


def _git_runs(rest: Sequence[str], depth: int) -> bool:
    """Tells whether a git command runs one that brings something."""
    if rest[0] == "config":
        key, value = [*[word for word in rest[1:] if word[:1] != "-"], "", ""][:2]
        runs = bool(_GIT_RUN_BY.search(key)) and brings_outside(value, depth - 1)
        return runs or any(word.startswith("!") for word in rest)
    if rest[0] in _GIT_COMPARES and any(map(_GIT_STARTS.fullmatch, rest)):
        return True
    if rest[0] not in _GIT_RUNS:
        return False
    after = rest[rest.index("run") + 1 :] if "run" in rest else []
    return any(brings_outside(word, depth - 1) for word in rest if " " in word) or _brings(after, depth)


def _is_interpreter(name: str) -> bool:
    return bool(_INTERPRETER.fullmatch(name)) and (name not in WAYS)  # bun is a package manager too


def _name(word: str) -> str:
    return program(word).replace("\\", "").lower().removesuffix(".exe")


def _are_here(name: str, given: Sequence[str]) -> bool:
    """Tells whether a fetcher is told addresses, and all are on this machine. Without any it reads them elsewhere."""
    if set(given) <= _ASKS:
        return bool(given)
    valued = _VALUED.get(name, _NOTHING)
    before = ("", *given)
    places = [word.partition("=")[2] if word.startswith("--") else word for word in given if "://" in word]
    places += [
        word for last, word in zip(before, given, strict=False) if word[:1] != "-" and not valued.fullmatch(last)
    ]
    diverted = any(map(_DIVERTS.get(name, _DIVERTS_ANY).fullmatch, given))
    return bool(places) and not diverted and all(map(_is_on_this_machine, places))


def _is_on_this_machine(place: str) -> bool:
    return bool(_HERE.fullmatch(place)) or place.lower().startswith("file://")


_JUDGES: dict[str, Callable[[str, Sequence[str], int], bool]] = {
    **dict.fromkeys(FETCHERS, _fetcher_brings),
    **dict.fromkeys(WRAPPERS, _wrapper_brings),
    **dict.fromkeys(_SHELL_NAMES, _shell_brings),
    **dict.fromkeys(FORGES, _forge_brings),
    **dict.fromkeys(CONTAINERS, _container_brings),
    **dict.fromkeys(FINDERS, _finder_brings),
    **dict.fromkeys("awk gawk mawk sed gdb lldb".split(), _editing_brings),
    **dict.fromkeys(("source", "."), _sourced_brings),
    **dict.fromkeys("export declare typeset local readonly".split(), _declarer_brings),
    "eval": _eval_brings,
    "alias": _alias_brings,
    "bun": _bun_brings,
    "git": _git_brings,
    "go": _go_brings,
    "mvn": _maven_brings,
    "mvnw": _maven_brings,
    "kustomize": _kustomize_brings,
    "vale": _vale_brings,
}
