// Style sheets, which the bundler collects.
declare module "*.css";
