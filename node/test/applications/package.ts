/** Uses the package by its name, as an application does. */
const modules = ["poolkeeper", "poolkeeper/fs"];
for (const name of modules) {
  const exported = (await import(name)) as Record<string, unknown>;
  console.log(Object.keys(exported).sort().join(" "));
}
