// The time that a test may take says what else the machine does: it is there for what never ends.
export default { test: { include: ["tests/**/*.test.ts"], environment: "node", testTimeout: 120_000 } };
