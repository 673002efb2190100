package io.polder;

import java.lang.management.ManagementFactory;

import javax.management.InstanceAlreadyExistsException;
import javax.management.InstanceNotFoundException;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;

/**
 * Pools at the platform's MBean server. To be used only where that is there.
 */
final class PlatformMBeans {
    private static final String DOMAIN_AND_TYPE = "io.polder:type=MemoryPool,name=";

    private PlatformMBeans() {}

    /**
     * Registers a pool, by its name, and its number if that is not 1. Where another copy of Polder
     * has registered one so, the pool gets a higher number.
     *
     * @return what to unregister it by
     */
    static Object register(PoolMemory pool) throws JMException {
        MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        PoolBean bean = new PoolBean(pool);
        for (int number = pool.number; ; number++) {
            ObjectName name = name(pool.name(), number);
            if (server.isRegistered(name)) {
                continue; // by another copy of Polder
            }
            try {
                server.registerMBean(bean, name);
            } catch (InstanceAlreadyExistsException taken) {
                continue; // meanwhile
            } catch (Error cutOff) { // of a listener, which is told last
                if (!server.isRegistered(name)) {
                    throw cutOff;
                }
            }
            pool.number = number;
            return name;
        }
    }

    static ObjectName name(String pool, int number) throws JMException {
        String name = DOMAIN_AND_TYPE + ObjectName.quote(pool);
        return new ObjectName(number == 1 ? name : name + ",number=" + number);
    }

    static void unregister(Object name) throws JMException {
        try {
            ManagementFactory.getPlatformMBeanServer().unregisterMBean((ObjectName) name);
        } catch (InstanceNotFoundException somebodyElseDid) {
            // then it is as it should be
        }
    }
}
