// npm run test:image: builds the images of deploy/Dockerfile and starts them with real servers. Needs root, Buildah and mmdebstrap.
import { makeReady, run } from "./ready.mjs";

makeReady();
const args = ["node_modules/vitest/vitest.mjs", "run", "--project", "e2e", "e2e/deploy/image.test.ts"];
run(process.execPath, args, { env: { ...process.env, LETHE_IMAGE: "1" } });
