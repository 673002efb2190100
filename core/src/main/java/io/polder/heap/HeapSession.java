package io.polder.heap;

import io.polder.heap.space.OpenSession;

/**
 * Many uses of a heap's objects, for which the heap is entered once: each of them costs less than
 * that of {@link RelocatingHeap}, and does the same.
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
