package io.polder.memory;

import org.junit.jupiter.api.condition.DisabledIfSystemProperty;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A test of what only a kernel does, and no emulator of a processor: {@code stress/aarch64} sets
 * the property. A comment at the test says what it is, if its name does not.
 */
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
@DisabledIfSystemProperty(
        named = "polder.emulated",
        matches = "true",
        disabledReason = "the emulator does something else than a kernel, or grows too large")
public @interface RealKernel {}
