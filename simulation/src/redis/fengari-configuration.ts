// Configures fengari, which reads this when it is loaded: whole numbers are floating-point, as in the Lua of Redis.
process.env.FENGARICONF = JSON.stringify({ LUA_COMPAT_FLOATSTRING: true });
