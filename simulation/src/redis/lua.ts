// Runs the Lua scripts of Redis. Redis has Lua 5.1, whose numbers are all floating-point; `tonumber` and the replies of commands
// therefore return floating-point numbers here too, and a whole number is written without a decimal point.
import "./fengari-configuration.ts";
import fengari from "fengari";
import { type Reply, ReplyError } from "./reply.ts";

/** Runs one command of a script. Throws ReplyError. */
export type RunCommand = (name: string, args: readonly string[]) => Reply;

const { lua, lauxlib, lualib, to_luastring, to_jsstring } = fengari;

/** Keys and arguments repeat: converting one costs more than finding it. */
const maxKnown = 2_000;
const maxKnownLength = 100;
const known = new Map<string, Uint8Array>();

function toLua(text: string): Uint8Array {
  if (text.length > maxKnownLength) return to_luastring(text);
  let bytes = known.get(text);
  if (!bytes) {
    if (known.size >= maxKnown) known.clear();
    bytes = to_luastring(text);
    known.set(text, bytes);
  }
  return bytes;
}

/** What Lua 5.1 has and the newer Lua of fengari has not. */
const prelude = `
unpack = table.unpack
local parse = tonumber
tonumber = function(...) local number = parse(...) return number and number + 0.0 end
redis.error_reply = function(text) return { err = text } end
redis.status_reply = function(text) return { ok = text } end`;

export class LuaScripts {
  readonly #state = lauxlib.luaL_newstate();
  /** References to compiled scripts by their text. */
  readonly #compiled = new Map<string, number>();
  #run: RunCommand = () => null;

  constructor() {
    const L = this.#state;
    for (const [name, open] of Object.entries({
      _G: lualib.luaopen_base,
      table: lualib.luaopen_table,
      string: lualib.luaopen_string,
      math: lualib.luaopen_math,
    })) {
      lauxlib.luaL_requiref(L, toLua(name), open, 1);
      lua.lua_pop(L, 1);
    }
    lua.lua_newtable(L);
    lua.lua_pushcfunction(L, () => this.#call(true));
    lua.lua_setfield(L, -2, toLua("call"));
    lua.lua_pushcfunction(L, () => this.#call(false));
    lua.lua_setfield(L, -2, toLua("pcall"));
    lua.lua_setglobal(L, toLua("redis"));
    this.#load(prelude);
    lua.lua_call(L, 0, 0);
  }

  /** Returns the reply of the script. Throws ReplyError. */
  run(text: string, keys: readonly string[], args: readonly string[], runCommand: RunCommand): Reply {
    const L = this.#state;
    let reference = this.#compiled.get(text);
    if (reference === undefined) {
      this.#load(text);
      reference = lauxlib.luaL_ref(L, lua.LUA_REGISTRYINDEX);
      this.#compiled.set(text, reference);
    }
    this.#run = runCommand;
    this.#setGlobal("KEYS", keys);
    this.#setGlobal("ARGV", args);
    lua.lua_rawgeti(L, lua.LUA_REGISTRYINDEX, reference);
    const status = lua.lua_pcall(L, 0, 1, 0);
    try {
      if (status === lua.LUA_OK) return this.#toReply(-1);
      throw new ReplyError(this.#errorText());
    } finally {
      lua.lua_settop(L, 0);
    }
  }

  #load(text: string): void {
    const L = this.#state;
    if (lauxlib.luaL_loadstring(L, toLua(text)) === lua.LUA_OK) return;
    const message = this.#textAt(-1);
    lua.lua_settop(L, 0);
    throw new ReplyError(`ERR Error compiling script (new function): ${message}`);
  }

  /** The error of a command is a table with `err`, that of Lua itself a text. */
  #errorText(): string {
    const L = this.#state;
    if (!lua.lua_istable(L, -1)) return `ERR ${this.#textAt(-1)}`;
    lua.lua_getfield(L, -1, toLua("err"));
    return this.#textAt(-1);
  }

  #setGlobal(name: string, items: readonly string[]): void {
    const L = this.#state;
    lua.lua_createtable(L, items.length, 0);
    for (let index = 0; index < items.length; index += 1) {
      lua.lua_pushstring(L, toLua(items[index] as string));
      lua.lua_rawseti(L, -2, index + 1);
    }
    lua.lua_setglobal(L, toLua(name));
  }

  #call(raises: boolean): number {
    const L = this.#state;
    const count = lua.lua_gettop(L);
    const words: string[] = [];
    for (let index = 1; index <= count; index += 1) words.push(this.#argumentAt(index));
    const [name = "", ...args] = words;
    try {
      this.#push(this.#run(name, args));
    } catch (error) {
      if (!(error instanceof ReplyError)) throw error;
      lua.lua_createtable(L, 0, 1);
      lua.lua_pushstring(L, toLua(error.message));
      lua.lua_setfield(L, -2, toLua("err"));
      if (raises) return lua.lua_error(L);
    }
    return 1;
  }

  /** Redis writes a number with 17 digits. */
  #argumentAt(index: number): string {
    const L = this.#state;
    if (lua.lua_type(L, index) !== lua.LUA_TNUMBER) {
      if (!lua.lua_isstring(L, index)) {
        throw new ReplyError("ERR Lua redis lib command arguments must be strings or integers");
      }
      return this.#textAt(index);
    }
    const value = lua.lua_tonumber(L, index);
    return Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(17)));
  }

  #textAt(index: number): string {
    const bytes = lua.lua_tolstring(this.#state, index);
    return bytes ? to_jsstring(bytes) : "(no text)";
  }

  #push(reply: Reply): void {
    const L = this.#state;
    if (reply === null) lua.lua_pushboolean(L, false);
    else if (typeof reply === "number") lua.lua_pushnumber(L, reply);
    else if (typeof reply === "string") lua.lua_pushstring(L, toLua(reply));
    else if ("ok" in reply) {
      lua.lua_createtable(L, 0, 1);
      lua.lua_pushstring(L, toLua(reply.ok));
      lua.lua_setfield(L, -2, toLua("ok"));
    } else {
      lua.lua_createtable(L, reply.length, 0);
      for (let index = 0; index < reply.length; index += 1) {
        this.#push(reply[index] as Reply);
        lua.lua_rawseti(L, -2, index + 1);
      }
    }
  }

  #toReply(index: number): Reply {
    const L = this.#state;
    switch (lua.lua_type(L, index)) {
      case lua.LUA_TNUMBER:
        return Math.trunc(lua.lua_tonumber(L, index));
      case lua.LUA_TSTRING:
        return this.#textAt(index);
      case lua.LUA_TBOOLEAN:
        return lua.lua_toboolean(L, index) ? 1 : null;
      case lua.LUA_TTABLE:
        return this.#tableToReply(lua.lua_absindex(L, index));
      default:
        return null;
    }
  }

  #tableToReply(index: number): Reply {
    const L = this.#state;
    const items: Reply[] = [];
    for (;;) {
      lua.lua_rawgeti(L, index, items.length + 1);
      if (lua.lua_isnil(L, -1)) break;
      items.push(this.#toReply(-1));
      lua.lua_pop(L, 1);
    }
    lua.lua_pop(L, 1);
    if (items.length > 0) return items;
    const error = this.#fieldOf(index, "err");
    if (error !== undefined) throw new ReplyError(error);
    const ok = this.#fieldOf(index, "ok");
    return ok === undefined ? items : { ok };
  }

  #fieldOf(index: number, name: string): string | undefined {
    const L = this.#state;
    lua.lua_getfield(L, index, toLua(name));
    const text = lua.lua_type(L, -1) === lua.LUA_TSTRING ? this.#textAt(-1) : undefined;
    lua.lua_pop(L, 1);
    return text;
  }
}
