// The Debian package of the static packer: what its control file says, and how versions sort.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { describe, it } from "node:test";
import { controlText, debianVersion } from "../scripts/deb.mjs";
import { exists } from "../scripts/support.mjs";

const owner = { author: null, homepage: null };
const about = { version: "1.2.3", architecture: "amd64", size: 9000, owner };

describe("the Debian package", () => {
  it("The Debian package depends on no other package, since the program is static", () => {
    const control = controlText(about);
    assert.match(control, /^Package: sheaf-pack\nVersion: 1\.2\.3\nArchitecture: amd64\n/);
    assert.doesNotMatch(control, /Depends/);
  });

  it("The Debian package names the owner once the owner is known", () => {
    const known = { author: { name: "A B", email: "a@b.example" }, homepage: "https://b.example/" };
    const control = controlText({ ...about, owner: known });
    assert.match(control, /^Maintainer: A B <a@b\.example>$/m);
    assert.match(control, /^Homepage: https:\/\/b\.example\/$/m);
    assert.doesNotMatch(controlText(about), /Homepage/);
  });

  it("The Debian package of a pre-release sorts before the release", { skip: !exists("dpkg") && "dpkg is not installed" }, () => {
    assert.equal(debianVersion("1.2.3"), "1.2.3");
    assert.equal(debianVersion("1.2.3-rc.1"), "1.2.3~rc.1");
    execFileSync("dpkg", ["--compare-versions", debianVersion("1.2.3-rc.1"), "lt", "1.2.3"]);
    execFileSync("dpkg", ["--compare-versions", debianVersion("1.2.3-rc-2"), "gt", debianVersion("1.2.3-rc-1")]);
  });
});
