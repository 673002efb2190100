/**
 * Broken variants of the classes of {@code io.polder.block}, each with the test that the class
 * itself passes. Every one of them must fail: it shows that its test can.
 */
@NullMarked
package io.polder.block.canary;

import org.jspecify.annotations.NullMarked;
