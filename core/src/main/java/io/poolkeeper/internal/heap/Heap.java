package io.poolkeeper.internal.heap;

/** Memory for objects. Readings allocate nothing. */
interface Heap {

  /** Bytes in use, garbage included. */
  long used();

  /** Bytes that may be in use at most. */
  long most();

  /** Returns the heap of this process. */
  static Heap ofProcess() {
    Runtime runtime = Runtime.getRuntime();
    return new Heap() {
      @Override
      public long used() {
        return runtime.totalMemory() - runtime.freeMemory();
      }

      @Override
      public long most() {
        return runtime.maxMemory();
      }
    };
  }
}
