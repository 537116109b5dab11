export default { test: { include: ["tests/**/*.test.ts"], environment: "node" } };
