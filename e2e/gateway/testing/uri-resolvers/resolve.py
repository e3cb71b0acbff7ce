# Which existing files do servers written in Python open for these URIs? Reads {root, uris}, writes a list of paths for each.
import json
import os
import sys
import unicodedata
from pathlib import Path
from urllib.parse import unquote, unquote_plus, urlparse, urlsplit
from urllib.request import url2pathname

given = json.load(sys.stdin)
root = given["root"]


def after(uri, prefix):
    if not uri.lower().startswith(prefix):
        raise ValueError("another scheme")
    return uri[len(prefix) :]


def of_file(uri):
    after(uri, "file:")
    return uri


def below(uri, text):
    after(uri, "notes:")
    return Path(root + "/" + text).resolve()


readers = [
    lambda uri: Path(unquote(urlparse(of_file(uri)).path)).resolve(),
    lambda uri: Path(unquote(urlparse(of_file(uri)).path)),
    lambda uri: Path(unquote(unquote(urlparse(of_file(uri)).path))).resolve(),
    lambda uri: Path(unquote_plus(urlsplit(of_file(uri)).path)).resolve(),
    lambda uri: Path(url2pathname(urlparse(of_file(uri)).path)),
    lambda uri: urlparse(of_file(uri)).path,
    lambda uri: Path(unquote(after(uri, "file://"))).resolve(),
    lambda uri: Path(unquote(after(uri, "file://")).strip()).resolve(),
    lambda uri: Path(after(uri, "file://")).resolve(),
    lambda uri: os.path.normpath(unquote(after(uri, "file:"))),
    lambda uri: unicodedata.normalize("NFC", unquote(urlparse(of_file(uri)).path)),
    lambda uri: os.path.normpath(unicodedata.normalize("NFKC", unquote(urlparse(of_file(uri)).path))),
    lambda uri: urlparse(unquote(of_file(uri))).path,
    lambda uri: below(uri, after(uri, "notes://")),
    lambda uri: below(uri, unquote(after(uri, "notes://"))),
    lambda uri: below(uri, urlparse(uri).netloc + unquote(urlparse(uri).path)),
    lambda uri: below(uri, unquote(urlparse(uri).netloc) + unquote(urlparse(uri).path)),
]


def open_file(reader, uri):
    try:
        path = os.path.realpath(reader(uri), strict=True)
        return [path] if os.path.isfile(path) else []
    except (OSError, ValueError, RuntimeError):
        return []


files = [sorted({path for reader in readers for path in open_file(reader, uri)}) for uri in given["uris"]]
json.dump(files, sys.stdout)
