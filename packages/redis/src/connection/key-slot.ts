// The slot of a key in a Redis Cluster: the CRC16 (XMODEM) of its hash tag, or of the whole key, modulo 16,384.

const encoder = new TextEncoder();

export function keySlot(key: string): number {
  const start = key.indexOf("{");
  const end = start === -1 ? -1 : key.indexOf("}", start + 1);
  const hashed = end > start + 1 ? key.slice(start + 1, end) : key;
  let crc = 0;
  for (const byte of encoder.encode(hashed)) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc & 0x8000) === 0 ? crc << 1 : (crc << 1) ^ 0x1021;
    crc &= 0xffff;
  }
  return crc % 16_384;
}
