// What Ajv says of files of JSON under a schema of draft 2020-12: node ajv.js SCHEMA FILE…
const { readFileSync } = require("node:fs");
const Ajv = require("ajv/dist/2020");

const [schema, ...files] = process.argv.slice(2).map((name) => JSON.parse(readFileSync(name, "utf8")));
const validate = new Ajv({ strict: true, allErrors: true, allowUnionTypes: true }).compile(schema);
console.log(JSON.stringify(files.map((data) => (validate(data) ? [] : validate.errors))));
