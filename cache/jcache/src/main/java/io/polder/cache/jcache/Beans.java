package io.polder.cache.jcache;

import java.lang.management.ManagementFactory;
import java.util.HashSet;
import java.util.Set;
import java.util.regex.Pattern;

import javax.cache.Cache;
import javax.cache.CacheException;
import javax.cache.configuration.CompleteConfiguration;
import javax.cache.management.CacheMXBean;
import javax.cache.management.CacheStatisticsMXBean;
import javax.management.InstanceAlreadyExistsException;
import javax.management.InstanceNotFoundException;
import javax.management.JMException;
import javax.management.JMRuntimeException;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import javax.management.StandardMBean;

/**
 * Registers the MXBeans of a cache with the platform's server, by the names of the specification.
 * If a cache of another class loader has the name already, its bean stays. A cache that is closed
 * gets none: it is closed first, and takes its beans back then.
 *
 * <p>Locking: the monitor guards which beans are registered. Thread-safe.
 */
final class Beans {
    private static final Pattern UNSAFE = Pattern.compile("[:=\n,?*\"]");

    /** Those that this has registered. */
    private final Set<ObjectName> registered = new HashSet<>();

    /** What the configuration of a cache says, as it is at each moment. */
    private record ConfigurationBean(CompleteConfiguration<?, ?> configuration)
            implements CacheMXBean {
        @Override
        public String getKeyType() {
            return configuration.getKeyType().getName();
        }

        @Override
        public String getValueType() {
            return configuration.getValueType().getName();
        }

        @Override
        public boolean isReadThrough() {
            return configuration.isReadThrough();
        }

        @Override
        public boolean isWriteThrough() {
            return configuration.isWriteThrough();
        }

        @Override
        public boolean isStoreByValue() {
            return configuration.isStoreByValue();
        }

        @Override
        public boolean isStatisticsEnabled() {
            return configuration.isStatisticsEnabled();
        }

        @Override
        public boolean isManagementEnabled() {
            return configuration.isManagementEnabled();
        }
    }

    void setConfiguration(
            Cache<?, ?> cache, CompleteConfiguration<?, ?> configuration, boolean wanted) {
        set(
                cache,
                "CacheConfiguration",
                new StandardMBean(new ConfigurationBean(configuration), CacheMXBean.class, true),
                wanted);
    }

    void setStatistics(Cache<?, ?> cache, Statistics statistics, boolean wanted) {
        set(
                cache,
                "CacheStatistics",
                new StandardMBean(statistics, CacheStatisticsMXBean.class, true),
                wanted);
    }

    private synchronized void set(Cache<?, ?> cache, String type, Object bean, boolean wanted) {
        MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        try {
            ObjectName name =
                    new ObjectName(
                            "javax.cache:type="
                                    + type
                                    + ",CacheManager="
                                    + safe(cache.getCacheManager().getURI().toString())
                                    + ",Cache="
                                    + safe(cache.getName()));
            if (wanted && !cache.isClosed() && !server.isRegistered(name)) {
                Object _ = server.registerMBean(bean, name);
                registered.add(name);
            } else if (!wanted && registered.remove(name)) {
                server.unregisterMBean(name);
            }
        } catch (InstanceAlreadyExistsException | InstanceNotFoundException _) {
            // It is that of another cache, or the program has removed it.
        } catch (JMException | JMRuntimeException e) {
            throw new CacheException(
                    "the bean of a cache could not be set: name=" + cache.getName(), e);
        }
    }

    private static String safe(String text) {
        return UNSAFE.matcher(text).replaceAll(".");
    }
}
