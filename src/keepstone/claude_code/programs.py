"""Which programs bring text from elsewhere, and which only work with what is on this machine."""

from __future__ import annotations

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
QUOTED_RUNNERS = frozenset("xargs find busybox su watch time parallel script docker podman nerdctl".split())
FORGES = frozenset(("gh", "glab"))
READS_OF_FORGES = frozenset("api browse checks clone diff download list note search view".split())
# Programs of this machine and of a project's own work. What any other program prints counts as brought from elsewhere.
LOCAL = frozenset(
    """
    [ [[ : . alias bg break builtin case cd continue declare dirs disown done echo esac eval exit export false
    fc fg fi for function getopts hash help history in jobs let local mapfile popd printf pushd pwd read
    readonly return select set shift shopt source test then times trap true type typeset ulimit umask unalias
    unset wait
    cat tac head tail less more bat nl ls eza exa tree stat file du df find fd locate which whereis realpath
    readlink basename dirname mkdir rmdir rm cp mv ln touch chmod chown chgrp install mktemp dd sync truncate
    split csplit grep egrep fgrep rg ag ack sed awk gawk sort uniq wc cut tr paste join comm fold fmt column
    expand rev shuf seq tee xxd od hexdump strings diff cmp colordiff patch jq yq xq tomlq xmllint
    base64 md5sum sha1sum sha256sum sha512sum shasum cksum b2sum tar gzip gunzip zcat bzip2 xz zstd zip unzip 7z
    cpio date cal sleep env printenv id whoami groups hostname uname arch nproc uptime free top htop ps pgrep
    pkill kill killall lsof fuser ss netstat ip ifconfig mount umount lsblk blkid sysctl systemctl service
    launchctl crontab dmesg lscpu lspci lsusb nvidia-smi sudo doas chroot nohup stdbuf tput clear reset stty tty
    locale getent dpkg rpm ldd nm objdump readelf strip strace ltrace gdb lldb perf valgrind heaptrack bench
    hyperfine
    make gmake cmake ctest ninja meson bazel bazelisk buck2 scons autoconf automake configure
    gcc g++ cc c++ clang clang++ clang-format clang-tidy ld ar as nasm rustc rustfmt rustup javac java kotlinc
    kotlin scala scalac sbt mvn mvnw gradle gradlew ant dotnet msbuild swift swiftc swiftformat swiftlint
    xcodebuild xcrun pod tsc tsx ts-node esbuild swc vite vitest jest mocha ava karma cypress playwright webpack
    rollup parcel turbo nx lerna eslint prettier biome stylelint oxlint rome standard svelte-check vue-tsc next
    nuxt astro gatsby remix storybook tailwindcss postcss sass pytest tox nox unittest coverage mypy pyright
    pytype ruff black isort flake8 pylint bandit autopep8 yapf pre-commit alembic django-admin flask uvicorn
    gunicorn celery manage.py setup.py sphinx-build mkdocs jupyter nbconvert maturin cython gofmt goimports
    golangci-lint staticcheck delve dlv air gotestsum wasm-pack wasm-bindgen trunk rake rspec rubocop rails
    minitest standardrb puma sidekiq irb phpunit pest phpstan psalm artisan pint php-cs-fixer mix iex elixir erl
    rebar3 stack cabal ghc runhaskell dune ocaml opam zig zls nim crystal lein clj julia rscript r luarocks
    busted lua luacheck stylua shellcheck shfmt bats hadolint yamllint actionlint ansible-lint markdownlint vale
    terraform tofu terragrunt tflint packer vagrant skaffold tilt kustomize latexmk pdflatex xelatex lualatex
    biber bibtex pandoc convert magick identify ffmpeg ffprobe sox dot plantuml protoc buf sqlc atlas prisma
    drizzle-kit knex typeorm sequelize liquibase flyway dbmate diesel sqlx sqlite3 duckdb just task foreman
    overmind direnv mise asdf pyenv nvm fnm rbenv volta code vim vi nvim nano emacs subl open udevadm py-spy
    memray sccache spectral promtool module sbatch squeue sacct tokei scc cloc fc-list ufw iptables nft chronyc
    timedatectl hostnamectl loginctl codesign security openscad license-checker depcruise madge knip
    update-ca-certificates apt-key ssh-add ssh-keygen openocd st-flash esptool.py get-content get-childitem
    select-string set-location remove-item copy-item move-item new-item test-path xdg-open pbcopy pbpaste tmux
    screen keepstone pio west idf.py flutter dart fastlane detox adb
    """.split()
)
# Programs whose other subcommands stay on this machine: those that bring text from elsewhere.
ELSEWHERE = {
    "git": "fetch pull clone ls-remote submodule svn p4 request-pull".split(),
    **dict.fromkeys(
        ("npm", "pnpm", "yarn", "bun", "npx"),
        "view info show v search s find audit outdated docs repo bugs owner dist-tag dlx create init".split(),
    ),
    **dict.fromkeys(("pip", "pip3", "uv", "pipx", "pixi"), "download search index show tool publish".split()),
    **dict.fromkeys(("poetry", "pdm", "pipenv", "hatch", "conda", "mamba"), "search show info publish".split()),
    "cargo": "search info owner install audit".split(),
    "go": "get doc list install".split(),
    **dict.fromkeys(("gem", "bundle", "bundler"), "search list info specification fetch outdated audit show".split()),
    "composer": "search show info browse outdated audit".split(),
    **dict.fromkeys(("brew", "port"), "search info home desc cat log".split()),
    **dict.fromkeys(
        ("apt", "apt-get", "aptitude", "dnf", "yum", "zypper", "apk"), "show search info source changelog".split()
    ),
    **dict.fromkeys(("docker", "podman", "nerdctl"), "logs pull search attach inspect history manifest scout".split()),
    "docker-compose": "logs pull attach".split(),
    "helm": "show search get pull status history".split(),
    "openssl": "s_client".split(),
}
OTHERS_BRANCHES = ("origin/", "upstream/", "FETCH_HEAD", "@{u", "@{upstream", "refs/remotes/")
