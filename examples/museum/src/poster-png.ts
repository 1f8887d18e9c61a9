import { crc32, deflateSync } from "node:zlib";

import type { MuseumEvent } from "./museum-event.ts";

const width = 96;
const height = 128;
const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/**
 * An event's poster: a PNG of 96 × 128 pixels, the same for the same title.
 *
 * @see https://www.w3.org/TR/png-3/
 */
export function posterPng(event: MuseumEvent): Buffer {
  const seed = crc32(event.title);
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2], 8); // 8 bits per channel, RGB

  return Buffer.concat([
    signature,
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(pixels(seed))),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

/** Concentric rings over a vertical gradient; each row starts with its filter type, 0. */
function pixels(seed: number): Buffer {
  const rows = Buffer.alloc(height * (1 + width * 3));
  const [red, green, blue] = [seed & 0x7f, (seed >>> 8) & 0x7f, (seed >>> 16) & 0x7f];
  const ring = 6 + ((seed >>> 24) % 10);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const distance = Math.hypot(x - width / 2, y - height / 3);
      const light = Math.floor(distance / ring) % 2 === 0 ? 96 : 32;
      const fade = Math.floor((y * 32) / height);
      rows.set([red + light, green + light - fade, blue + fade], y * (1 + width * 3) + 1 + x * 3);
    }
  }
  return rows;
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, checksum]);
}
