package io.poolkeeper.internal.heap;

/** Readings of a heap. They allocate nothing. */
interface Heap {

  /** Returns the bytes in use, garbage included. */
  long used();

  /** Returns the largest possible size, bytes. */
  long most();

  /**
   * Returns whether a number of bytes is less than half: then collections may take long, while
   * classes are loaded or others have the processors, but the heap is not filling up.
   */
  default boolean isHalfEmpty(long used) {
    return used < most() / 2;
  }

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
