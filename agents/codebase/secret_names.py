"""Which names hold secrets, and which folders are never entered.

A name is judged as the most forgiving file system would read it: without regard to capitals or to
Unicode look-alikes, without invisible characters (HFS+ passes over them: CVE-2014-9390), without trailing
dots and spaces, without an NTFS stream (`server.pem::$DATA`), and without what a backup copy or an editor
puts round it (`server.key.bak`, `.id_rsa.swp`).

It does NOT read files: a password inside an ordinary source file is not noticed.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from fnmatch import translate
from functools import lru_cache

NEVER_ENTERED = frozenset({".git", "venv", "__pycache__", "node_modules"})
"""Folders (or files) of these names are closed wherever they stand."""

NEVER_ENTERED_AT_ROOT = frozenset({"data"})
"""And these at the root only: `data/` is where a project of the course keeps what its runs produce."""

SECRET_FOLDERS = frozenset(
    {
        ".aws",
        ".azure",
        ".bluemix",
        ".docker",
        ".gcloud",
        ".gnupg",
        ".huggingface",
        ".jfrog",
        ".kaggle",
        ".kube",
        ".mozilla",
        ".ngrok2",
        ".oci",
        ".password-store",
        ".putty",
        ".secrets",
        ".snowsql",
        ".ssh",
        ".thunderbird",
        "secrets",
        "private_keys",
    }
)
"""Everything below a folder of one of these names is closed."""

_SECRET_PLACES = (
    ".age/*",
    ".bundle/config",
    ".cache/huggingface/token",
    ".cargo/credentials",
    ".cargo/credentials.toml",
    ".circleci/cli.yml",
    ".composer/auth.json",
    ".config/chromium/*",
    ".config/configstore/*",
    ".config/doctl/*",
    ".config/gcloud/*",
    ".config/gh/hosts.yml",
    ".config/glab-cli/*",
    ".config/google-chrome/*",
    ".config/hub",
    ".config/op/*",
    ".config/rclone/*",
    ".config/sops/age/*",
    ".dbt/profiles.yml",
    ".electrum/wallets/*",
    ".ethereum/keystore/*",
    ".fly/config.yml",
    ".gem/credentials",
    ".gradle/gradle.properties",
    ".local/share/keyrings/*",
    ".m2/settings.xml",
    ".m2/settings-security.xml",
    ".mc/config.json",
    ".netlify/config.json",
    ".nuget/nuget.config",
    ".subversion/auth/*",
    ".terraform.d/*.tfrc.json",
    ".vercel/auth.json",
    ".vnc/passwd",
    "etc/gshadow",
    "etc/shadow",
)

_SECRET_FILES = (
    # keys and key stores
    "*.pem",
    "*.key",
    "*.p8",
    "*.p12",
    "*.pfx",
    "*.pkcs8",
    "*.pkcs12",
    "*.pk8",
    "*.bks",
    "*.ppk",
    "*.jks",
    "*.keystore",
    "*.kdb",
    "*.kdbx",
    "*.keytab",
    "*.gpg",
    "*.ovpn",
    "*.agekey",
    "*.keychain",
    "*.keychain-db",
    "*.keyring",
    "*.1pif",
    "wallet.dat",
    "wg[0-9]*.conf",
    "age-key.*",
    "krb5cc_*",
    "secring*",
    "private*.asc",
    "private_key*",
    "private-key*",
    "privatekey*",
    "*_rsa",
    "*_dsa",
    "*_ecdsa",
    "*_ed25519",
    "deploy_key",
    "deploy-key",
    "key.properties",
    "keystore.properties",
    "id_rsa*",
    "id_dsa*",
    "id_ecdsa*",
    "id_ed25519*",
    # environments
    ".env",
    ".env.*",
    ".env-*",
    ".env_*",
    "*.env",
    ".envrc",
    ".dev.vars",
    "*.env.local",
    "local.settings.json",
    # clients that keep a password or token
    ".netrc",
    "_netrc",
    ".npmrc",
    ".yarnrc",
    ".yarnrc.yml",
    ".pypirc",
    "pip.conf",
    "pip.ini",
    ".git-credentials",
    ".gitcookies",
    ".hgrc",
    ".curlrc",
    ".wgetrc",
    ".dockercfg",
    ".dockerconfigjson",
    "kubeconfig",
    "kubeconfig.*",
    "*.kubeconfig",
    ".vault-token",
    "*vault_pass*",
    "*vault-pass*",
    ".pgpass",
    "pgpass.conf",
    ".my.cnf",
    ".mylogin.cnf",
    ".pg_service.conf",
    ".htpasswd",
    "htpasswd",
    ".htdigest",
    ".authinfo",
    ".fetchmailrc",
    ".msmtprc",
    ".smbcredentials",
    ".s3cfg",
    ".boto",
    ".databrickscfg",
    ".sentryclirc",
    ".terraformrc",
    "terraform.rc",
    "rclone.conf",
    ".rclone.conf",
    ".condarc",
    ".renviron",
    ".transifexrc",
    "auth.json",
    "kaggle.json",
    "ngrok.yml",
    # browsers
    "logins.json",
    "key3.db",
    "key4.db",
    "cookies.sqlite",
    "signons.sqlite",
    "login data*",
    # credentials under their own name
    "credentials",
    ".credentials",
    "credentials.*",
    "*credentials.json",
    "gha-creds-*.json",
    "creds.*",
    "*[-_]creds.*",
    "*[-_]key.json",
    "service-account*.json",
    "service_account*.json",
    "*serviceaccount*.json",
    "client_secret*.json",
    "*firebase-adminsdk*.json",
    ".secret",
    "secret.*",
    "secrets.*",
    "*.secret",
    "*.secrets",
    "*[-_.]secret.*",
    "*[-_.]secrets.*",
    "secret[-_]key",
    "secret[-_]key.*",
    ".token",
    "token.json",
    "token.txt",
    "*[-_]token",
    "*[-_]token.json",
    "*[-_]token.txt",
    "api_key*",
    "api-key*",
    "apikey*",
    ".passwd",
    ".password",
    "password.txt",
    "passwords.*",
    # state files, which hold the secrets of what they describe
    "*.tfstate",
    "*.tfstate.*",
    "*.tfvars",
    "*.tfvars.json",
    # what a person typed
    ".*_history",
    ".*-history",
    ".*_hist",
    ".histfile",
    ".rhistory",
    "consolehost_history.txt",
    "fish_history",
    ".lesshst",
    ".viminfo",
)
_PROGRAM_ENDINGS = """
    adoc c cc cjs clj cpp cs css dart erl ex exs go groovy h hpp html java jl js jsx kt lua m markdown md mdx mjs mm
    php pl py pyi pyx rb rs rst scala scss sh sol svelte swift ts tsx vue zig
"""
_PROGRAMS = frozenset(_PROGRAM_ENDINGS.split())
"""`secrets.py` and `credentials.go` are programs about secrets; `secrets.yaml` is one."""

_BACKUP = re.compile(r"(?:\.(?:bak|backup|old|orig|save|saved|copy|tmp|swp|swo|txt|\d+)|~|#)+$")
_EDITOR = re.compile(r"\.?#|\.(?=[^.]+(?:\.[^.]+)*\.sw[op]$)")
"""What an editor puts before the name of the copy it works on: `.#id_rsa`, `#id_rsa#`, `.id_rsa.swp`."""
_SHORT_NAME = re.compile(r"[^./]{1,8}~\d+(?:\.[^./]{0,3})?$")
_matches_file = re.compile("|".join(translate(pattern) for pattern in _SECRET_FILES)).match
_matches_place = re.compile("|".join(translate(pattern) for pattern in _SECRET_PLACES)).match


def plain(name: str) -> str:
    """One name as the most forgiving file system reads it."""
    name = unicodedata.normalize("NFKC", name).casefold()
    name = "".join(sign for sign in name if unicodedata.category(sign) != "Cf") or name
    name = name.split(":", 1)[0] or name
    return name.rstrip(". \t\r\n") or name


def closed_because(parts: Sequence[str]) -> str | None:
    """Why the file or folder at these path parts (below the root) is closed, or None when it is open."""
    for depth, part in enumerate(parts):
        reason = name_closed_because(part, at_root=depth == 0)
        if reason:
            return reason
    names = [_BACKUP.sub("", plain(part)) for part in parts]
    if any(_matches_place("/".join(names[depth:])) for depth in range(len(names))):
        return f"{'/'.join(parts)} may hold secrets"
    return None


def may_lead_to_secrets(folder: Sequence[str]) -> bool:
    """Whether a name in `folder` may be closed for its place: such places lie below a dotted name or `etc`."""
    return any(name.startswith(".") or plain(name) == "etc" for name in folder)


@lru_cache(maxsize=4096)
def name_closed_because(part: str, at_root: bool) -> str | None:
    """`closed_because` for one name, wherever it stands but for the difference that the root makes."""
    name = plain(part)
    if name in NEVER_ENTERED or (at_root and name in NEVER_ENTERED_AT_ROOT):
        return f"{part} is never listed or read"
    original = _BACKUP.sub("", name)
    if name in SECRET_FOLDERS or original in SECRET_FOLDERS:
        return f"{part} is a place for secrets"
    if any(map(_is_secret, (name, original, _BACKUP.sub("", _EDITOR.sub("", name, count=1))))):
        return f"{part} may hold secrets"
    if _SHORT_NAME.match(name):
        return f"{part} looks like the short form of another name: write that name in full"
    return None


def _is_secret(name: str) -> bool:
    ending = name.rpartition(".")[2]
    is_program = ending in _PROGRAMS and not name.startswith(".")
    return bool(_matches_file(name)) and not is_program
