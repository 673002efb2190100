/**
 * Broken variants of the classes of {@code io.polder.gate}, each with the test that the class
 * itself passes. Every one of them must fail: it shows that its test can.
 */
@NullMarked
package io.polder.gate.canary;

import org.jspecify.annotations.NullMarked;
