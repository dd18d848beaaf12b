"""A web server behind TLS, with a certificate of its own."""

from __future__ import annotations

import datetime
import ipaddress
import os
import ssl
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from tests.testsets.file_server import FileServer, file_server

ROWS = b"id,output,expected\na,b,b\n"


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    """A key and a certificate for 127.0.0.1 that signs itself, in one file."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "127.0.0.1")])
    start = datetime.datetime(2020, 1, 1)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(start)
        .not_valid_after(start + datetime.timedelta(days=365 * 60))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    file = tmp_path / "certificate.pem"
    plain = serialization.NoEncryption()
    file.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, plain)
        + made.public_bytes(serialization.Encoding.PEM)
    )
    return file


@pytest.fixture
def secure(certificate: Path) -> Iterator[FileServer]:
    """A server that speaks https."""
    with file_server() as running:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        running.socket = context.wrap_socket(running.socket, server_side=True)
        running.files["/rows.csv"] = ROWS
        yield running


def score(server: FileServer, name: str, folder: Path, certificate: Path | None) -> subprocess.CompletedProcess[str]:
    (folder / "suite.yaml").write_text("evaluators: [exact_match]\n", encoding="utf-8")
    place = server.address.replace("http:", "https:") + name
    known = {"SSL_CERT_FILE": str(certificate)} if certificate is not None else {}
    return subprocess.run(
        [sys.executable, "-m", "evaluators", "run", "suite.yaml", place, "--quiet", "--no-results"], cwd=folder,
        env={**os.environ, **known}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
    )  # fmt: skip


def test_a_file_is_read_from_a_server_that_is_known(secure: FileServer, tmp_path: Path, certificate: Path) -> None:
    done = score(secure, "/rows.csv", tmp_path, certificate)
    assert done.returncode == 0, done.stdout


def test_an_answer_does_not_lead_from_https_to_http(secure: FileServer, tmp_path: Path, certificate: Path) -> None:
    with file_server() as plain:
        plain.files["/rows.csv"] = ROWS
        secure.redirects["/moved.csv"] = f"{plain.address}/rows.csv"
        secure.redirects["/near.csv"] = "/rows.csv"
        done = score(secure, "/moved.csv", tmp_path, certificate)
        assert plain.asked == []
    assert done.returncode == 3, done.stdout
    assert "http://" in done.stdout
    assert "not opened" in done.stdout
    assert score(secure, "/near.csv", tmp_path, certificate).returncode == 0


def test_a_server_that_nobody_vouches_for_is_not_believed(secure: FileServer, tmp_path: Path) -> None:
    done = score(secure, "/rows.csv", tmp_path, None)
    assert done.returncode == 3, done.stdout
    assert "certificate" in done.stdout.lower()
    assert secure.asked == []
