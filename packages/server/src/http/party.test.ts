// Parties: which requests count together, and that idle parties do not pile up.
import { describe, expect, it } from "vitest";
import { createParties, toAddressBlock } from "./party.ts";

describe("parties", () => {
  it("are the same object for the same name", () => {
    const parties = createParties("caller");
    expect(parties.find("ann")).toBe(parties.find("ann"));
    expect(parties.find("ann")).not.toBe(parties.find("bob"));
  });

  it("are dropped when they are idle and many other names have followed", () => {
    const parties = createParties("caller");
    const idle = parties.find("idle");
    const busy = parties.find("busy");
    busy.held[1] = 1;
    for (let count = 0; count < 3_000; count += 1) parties.find(`caller ${count}`);
    expect(parties.find("busy")).toBe(busy);
    expect(parties.find("idle")).not.toBe(idle);
  });

  it("keep their count while a client goes through many addresses of its network", () => {
    const parties = createParties("address", toAddressBlock);
    const busy = parties.find("2001:db8:0:1::1");
    busy.held[0] = 1;
    for (let count = 0; count < 3_000; count += 1) {
      expect(parties.find(`2001:db8:0:1::${count.toString(16)}`)).toBe(busy);
    }
  });
});

describe("the block of an address", () => {
  it.each([
    ["203.0.113.7", "203.0.113.7"],
    ["::ffff:203.0.113.7", "203.0.113.7"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2"],
    ["2001:0DB8:1:2::6", "2001:db8:1:2"],
    ["2001:db8::6", "2001:db8:0:0"],
    ["::1", "0:0:0:0"],
    ["fe80::1%eth0", "fe80:0:0:0"],
    ["::", "0:0:0:0"],
    ["unknown", "unknown"],
  ])("of %s is %s", (address, block) => {
    expect(toAddressBlock(address)).toBe(block);
  });
});
