import { expect, test } from "vitest";
import { isPrivateAddress, isPublicAddress } from "./public-address.ts";

test.each(["8.8.8.8", "1.1.1.1", "172.32.0.1", "100.128.0.1", "2606:4700::1111", "2a00:1450::1", "64:ff9b::808:808"])(
  "%s is public",
  (address) => {
    expect(isPublicAddress(address)).toBe(true);
  },
);

test.each([
  "0.0.0.0",
  "10.1.2.3",
  "100.64.0.1",
  "127.0.0.1",
  "169.254.169.254",
  "172.16.0.1",
  "192.168.1.1",
  "198.18.0.1",
  "224.0.0.1",
  "255.255.255.255",
  "::",
  "::1",
  "::ffff:127.0.0.1",
  "::ffff:8.8.8.8",
  "64:ff9b::7f00:1",
  "64:ff9b::a9fe:a9fe",
  "64:ff9b:1::808:808",
  "168.63.129.16",
  "2001::1",
  "2002:7f00:1::",
  "fc00::1",
  "fd12::1",
  "fe80::1",
  "fec0::1",
  "ff02::1",
])("%s is not (G-51)", (address) => {
  expect(isPublicAddress(address)).toBe(false);
});

test.each([
  "10.0.0.1",
  "127.0.0.1",
  "169.254.1.1",
  "172.31.0.1",
  "192.168.0.1",
  "100.64.0.1",
  "::1",
  "fd12::1",
  "fe80::1%eth0",
  "::ffff:10.0.0.1",
  "::ffff:7f00:1",
])("%s belongs to this machine or network", (address) => {
  expect(isPrivateAddress(address)).toBe(true);
});

test.each([
  "8.8.8.8",
  "::ffff:8.8.8.8",
  "2606:4700::1111",
  "2002:808:808::1",
  "2001::1",
  "64:ff9b::a00:1",
  "3fff::1",
  "240.0.0.1",
])("%s may be a server on the internet", (address) => {
  expect(isPrivateAddress(address)).toBe(false);
});
