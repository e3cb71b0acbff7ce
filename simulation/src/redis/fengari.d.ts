// Types of the part of fengari that the simulation uses. The package has none.
declare module "fengari" {
  type LuaState = object & { readonly brand: unique symbol };
  type LuaFunction = (state: LuaState) => number;

  export const to_luastring: (text: string) => Uint8Array;
  export const to_jsstring: (bytes: Uint8Array) => string;
  export const lualib: Record<"luaopen_base" | "luaopen_table" | "luaopen_string" | "luaopen_math", LuaFunction>;
  export const lauxlib: {
    luaL_newstate(): LuaState;
    luaL_requiref(state: LuaState, name: Uint8Array, open: LuaFunction, isGlobal: number): void;
    luaL_loadstring(state: LuaState, text: Uint8Array): number;
    luaL_ref(state: LuaState, table: number): number;
  };
  export const lua: {
    readonly LUA_OK: number;
    readonly LUA_REGISTRYINDEX: number;
    readonly LUA_TNUMBER: number;
    readonly LUA_TSTRING: number;
    readonly LUA_TBOOLEAN: number;
    readonly LUA_TTABLE: number;
    lua_absindex(state: LuaState, index: number): number;
    lua_call(state: LuaState, args: number, results: number): void;
    lua_createtable(state: LuaState, items: number, fields: number): void;
    lua_error(state: LuaState): number;
    lua_getfield(state: LuaState, index: number, name: Uint8Array): number;
    lua_gettop(state: LuaState): number;
    lua_isnil(state: LuaState, index: number): boolean;
    lua_isstring(state: LuaState, index: number): boolean;
    lua_istable(state: LuaState, index: number): boolean;
    lua_newtable(state: LuaState): void;
    lua_pcall(state: LuaState, args: number, results: number, handler: number): number;
    lua_pop(state: LuaState, count: number): void;
    lua_pushboolean(state: LuaState, value: boolean): void;
    lua_pushcfunction(state: LuaState, run: LuaFunction): void;
    lua_pushnumber(state: LuaState, value: number): void;
    lua_pushstring(state: LuaState, bytes: Uint8Array): void;
    lua_rawgeti(state: LuaState, index: number, position: number): number;
    lua_rawseti(state: LuaState, index: number, position: number): void;
    lua_setfield(state: LuaState, index: number, name: Uint8Array): void;
    lua_setglobal(state: LuaState, name: Uint8Array): void;
    lua_settop(state: LuaState, top: number): void;
    lua_toboolean(state: LuaState, index: number): boolean;
    lua_tolstring(state: LuaState, index: number): Uint8Array | null;
    lua_tonumber(state: LuaState, index: number): number;
    lua_type(state: LuaState, index: number): number;
  };
}
