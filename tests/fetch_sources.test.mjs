// Reading the machine's apt entries: which are Debian's own, and what becomes of them.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isDebian, parseDeb822, parseList, toSourceStanza } from "../scripts/fetch_sources.mjs";

const own = (entries) => entries.filter(isDebian).map((entry) => entry.uris);

describe("apt entries", () => {
  it("reads deb822 stanzas with comments, folded keys and switched-off entries", () => {
    const entries = parseDeb822(`# Modernised
Types: deb
URIs: http://deb.debian.org/debian
# a comment between fields
Suites: bookworm bookworm-updates
Components: main contrib
Signed-By:
 -----BEGIN PGP PUBLIC KEY BLOCK-----
 .
 abc

Enabled: no
Types: deb
URIs: http://off.example/debian
Suites: bookworm
Components: main
`);
    assert.deepEqual(own(entries), ["http://deb.debian.org/debian"]);
    assert.match(entries[0]["signed-by"], /BEGIN PGP[^]* abc/);
  });

  it("reads classic lines with options and trailing comments", () => {
    const [entry] = parseList("deb [arch=amd64 signed-by=/k.gpg] http://mirror.example/debian/ bookworm main contrib # ours");
    assert.equal(
      toSourceStanza(entry),
      "Types: deb-src\nURIs: http://mirror.example/debian/\nSuites: bookworm\nComponents: main\nSigned-By: /k.gpg\n",
    );
    assert.deepEqual(parseList("# deb http://deb.debian.org/debian bookworm main\n\n"), []);
  });

  it("asks for the pinned release whatever release the machine runs", () => {
    const [entry] = parseList("deb http://deb.debian.org/debian trixie main");
    assert.ok(isDebian(entry));
    assert.match(toSourceStanza(entry), /^Suites: bookworm$/m);
  });

  it("takes Debian's mirrors, also through a mirror list", () => {
    const list = "deb http://ftp.de.debian.org/debian bookworm main\ndeb mirror+file:/etc/apt/mirrors/debian.list bookworm main";
    assert.equal(own(parseList(list)).length, 2);
  });

  it("leaves other people's archives, discs, and suites without our versions alone", () => {
    assert.deepEqual(own(parseList(`
deb https://download.docker.com/linux/debian bookworm stable
deb https://deb.nodesource.com/node_20.x nodistro main
deb https://packages.example/apt bookworm main
deb http://security.debian.org/debian-security bookworm-security main
deb http://deb.debian.org/debian bookworm-backports main
deb cdrom:[Debian] bookworm main`)), []);
  });
});
