// Imports the package that its argument names, and prints that it has.
await import(process.argv[2]);
console.log("imported");
