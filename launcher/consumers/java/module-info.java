/** A program outside the project, on the module path. */
module consumer {
  requires io.poolkeeper.core;
  requires io.poolkeeper.linux;
  requires io.poolkeeper.record;
}
