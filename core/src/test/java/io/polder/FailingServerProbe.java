package io.polder;

import java.lang.management.ManagementFactory;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.concurrent.atomic.AtomicReference;

import javax.management.MBeanServer;
import javax.management.MBeanServerBuilder;
import javax.management.MBeanServerDelegate;
import javax.management.ObjectName;

/**
 * A program for {@link ChildJvm} whose MBean server throws an error, once, where a pool is to be
 * registered. The argument says when: {@code before} it is, or {@code after}.
 */
final class FailingServerProbe {
    private static final AtomicReference<String> WHEN = new AtomicReference<>("never");

    private FailingServerProbe() {}

    /** Makes the MBean server of the platform. */
    public static final class Builder extends MBeanServerBuilder {
        @Override
        public MBeanServer newMBeanServer(
                String domain, MBeanServer outer, MBeanServerDelegate delegate) {
            MBeanServer real = super.newMBeanServer(domain, outer, delegate);
            return (MBeanServer)
                    Proxy.newProxyInstance(
                            Builder.class.getClassLoader(),
                            new Class<?>[] {MBeanServer.class},
                            (_, method, args) -> failOnce(real, method, args));
        }

        private static Object failOnce(MBeanServer real, Method method, Object[] args)
                throws Throwable {
            boolean registers =
                    method.getName().equals("registerMBean")
                            && args[1].toString().startsWith("io.polder:");
            String when = registers ? WHEN.getAndSet("never") : "never";
            if (when.equals("before")) {
                throw new OutOfMemoryError("injected");
            }
            try {
                Object result = method.invoke(real, args);
                if (when.equals("after")) {
                    throw new OutOfMemoryError("injected");
                }
                return result;
            } catch (InvocationTargetException thrown) {
                throw thrown.getCause();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        WHEN.set(args[0]);
        ObjectName name = new ObjectName("io.polder:type=MemoryPool,name=\"failing\"");
        MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        try (MemoryPool _ = MemoryPool.builder().name("failing").build()) {
            Await.until("the pool is registered", () -> server.isRegistered(name));
            Await.until("that is told", OpenPools.INSTANCE.task::isAsleep);
            System.out.println("registered");
        }
        System.out.println("left: " + server.queryNames(new ObjectName("io.polder:*"), null));
    }
}
