import { malformed } from '../../lake/part.ts';

/** A struct of Thrift's compact protocol: values by field id. */
export interface ThriftStruct extends ReadonlyMap<number, ThriftValue> {}
/** A field's value; a binary is not decoded yet, a double is not kept. */
export type ThriftValue = boolean | number | Uint8Array | ThriftStruct | readonly ThriftValue[];

const TYPE = {
  true: 1,
  false: 2,
  byte: 3,
  i16: 4,
  i32: 5,
  i64: 6,
  double: 7,
  binary: 8,
  list: 9,
  struct: 12,
};

/** Parquet's own metadata nests 6 deep; hostile bytes must not choose the depth of our recursion. */
const DEPTH_MAX = 16;

/**
 * A cursor over Thrift's compact protocol that never reads beyond `end`, and neither allocates nor loops
 * beyond what the remaining bytes can hold, whatever they claim. Throws `part.malformed`.
 */
export class ThriftReader {
  readonly #bytes: Uint8Array;
  readonly #end: number;
  #at: number;

  constructor(bytes: Uint8Array, start: number, end: number) {
    this.#bytes = bytes;
    this.#at = start;
    this.#end = Math.min(end, bytes.length);
  }

  /** The offset of the first byte that is not read yet. */
  get offset(): number {
    return this.#at;
  }

  struct(depth = 0): ThriftStruct {
    if (depth > DEPTH_MAX) throw malformed('its metadata nests too deep');
    const fields = new Map<number, ThriftValue>();
    let id = 0;
    for (;;) {
      const head = this.#byte();
      const type = head & 0x0f;
      if (type === 0) return fields;
      id = head >> 4 ? id + (head >> 4) : this.#zigzag();
      fields.set(id, this.#value(type, depth));
    }
  }

  #value(type: number, depth: number): ThriftValue {
    switch (type) {
      case TYPE.true:
        return true;
      case TYPE.false:
        return false;
      case TYPE.byte:
        return this.#byte();
      case TYPE.i16:
      case TYPE.i32:
      case TYPE.i64:
        return this.#zigzag();
      case TYPE.double:
        this.#take(8);
        return Number.NaN; // no field that is read here is a double
      case TYPE.binary:
        return this.#take(this.#varint());
      case TYPE.list:
        return this.#list(depth);
      case TYPE.struct:
        return this.struct(depth + 1);
      default:
        throw malformed('its metadata holds an unknown type');
    }
  }

  #list(depth: number): ThriftValue[] {
    if (depth > DEPTH_MAX) throw malformed('its metadata nests too deep');
    const head = this.#byte();
    const size = head >> 4 === 15 ? this.#varint() : head >> 4;
    const type = head & 0x0f;
    // Each element takes a byte or more, so that the bytes end before a size that is made up.
    const values: ThriftValue[] = [];
    for (let i = 0; i < size; i++) {
      const boolean = type === TYPE.true || type === TYPE.false;
      values.push(boolean ? this.#byte() === 1 : this.#value(type, depth + 1));
    }
    return values;
  }

  #byte(): number {
    const byte = this.#at < this.#end ? this.#bytes[this.#at] : undefined;
    if (byte === undefined) throw malformed('its metadata is cut off');
    this.#at++;
    return byte;
  }

  #take(length: number): Uint8Array {
    if (length > this.#end - this.#at) throw malformed('its metadata is cut off');
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }

  #varint(): number {
    let value = 0;
    let scale = 1;
    for (;;) {
      const byte = this.#byte();
      value += (byte & 0x7f) * scale;
      if (value > Number.MAX_SAFE_INTEGER) throw malformed('a number of its metadata is too large');
      if (byte < 0x80) return value;
      scale *= 128;
      if (scale > Number.MAX_SAFE_INTEGER) throw malformed('a number of its metadata is too long');
    }
  }

  #zigzag(): number {
    const value = this.#varint();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }
}

/** A field that must be there as an integer of 0 or more: a count, a size, an offset, the index of an enum. */
export function countAt(struct: ThriftStruct, id: number): number {
  const value = struct.get(id);
  if (typeof value !== 'number' || !(value >= 0)) throw malformed('its metadata lacks a number');
  return value;
}

/** A field that must be there as text. */
export function textAt(struct: ThriftStruct, id: number): string {
  const value = struct.get(id);
  if (!(value instanceof Uint8Array)) throw malformed('its metadata lacks a text');
  return Buffer.from(value).toString();
}

/** A field that must be there as a struct. */
export function structAt(struct: ThriftStruct, id: number): ThriftStruct {
  return asStruct(struct.get(id));
}

/** A field that must be there as a list of structs. */
export function structsAt(struct: ThriftStruct, id: number): readonly ThriftStruct[] {
  return listAt(struct, id).map(asStruct);
}

/** A field that must be there as a list of texts. */
export function textsAt(struct: ThriftStruct, id: number): readonly string[] {
  return listAt(struct, id).map((value) => {
    if (!(value instanceof Uint8Array)) throw malformed('its metadata lacks a text');
    return Buffer.from(value).toString();
  });
}

function listAt(struct: ThriftStruct, id: number): readonly ThriftValue[] {
  const value = struct.get(id);
  if (!Array.isArray(value)) throw malformed('its metadata lacks a list');
  return value;
}

function asStruct(value: ThriftValue | undefined): ThriftStruct {
  if (!(value instanceof Map)) throw malformed('its metadata lacks a struct');
  return value;
}
