package io.polder;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;

import java.lang.reflect.Method;
import java.util.concurrent.atomic.AtomicReference;

/** Runs each test method of a class inside a virtual thread of its own. */
final class OnVirtualThread implements InvocationInterceptor {
    @Override
    @SuppressWarnings("NullAway") // JUnit gives a test method's result as Void
    public void interceptTestMethod(
            Invocation<Void> invocation,
            ReflectiveInvocationContext<Method> method,
            ExtensionContext context)
            throws Throwable {
        AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
        Thread.ofVirtual()
                .start(
                        () -> {
                            try {
                                invocation.proceed();
                            } catch (Throwable thrown) {
                                failure.set(thrown);
                            }
                        })
                .join();
        Throwable thrown = failure.get();
        if (thrown != null) {
            throw thrown;
        }
    }
}
