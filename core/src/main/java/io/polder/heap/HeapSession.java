package io.polder.heap;

import io.polder.heap.space.OpenSession;

/**
 * Many uses of a heap's objects, for which the heap is entered once: what changes or copies an
 * object costs less here than by {@link RelocatingHeap}, and does the same. A single number is read
 * there without entering, and so as fast.
 *
 * <p>{@link RelocatingHeap#session} gives one to a function. It is for the thread that runs the
 * function, and until the function returns. The function may use the heap itself as well, for what
 * is not here.
 *
 * <p>Each method throws what {@link HeapObjects} says; and besides
 *
 * <ul>
 *   <li>{@link IllegalStateException} once the function has returned,
 *   <li>{@link WrongThreadException} in any other thread.
 * </ul>
 */
public sealed interface HeapSession extends HeapObjects permits OpenSession {}
