package io.parley.bench.netty;

import io.netty.channel.DefaultSelectStrategyFactory;
import io.netty.channel.SelectStrategyFactory;

/** The behavior of a thread that waits for a socket. */
public enum IdleStrategy {
    /** Sleeps at once, which is the default of Netty. */
    SLEEP {
        @Override
        public SelectStrategyFactory factory() {
            return DefaultSelectStrategyFactory.INSTANCE;
        }
    },

    /** Polls for a short time before it sleeps: the code of Parley's TCP transport. With one processor, sleeps at once. */
    SPIN {
        @Override
        public SelectStrategyFactory factory() {
            return TcpWaitStrategy.factory();
        }
    };

    /** Returns the factory of the strategies, one for each thread. */
    public abstract SelectStrategyFactory factory();

    /** Returns the actual behavior in this process, for the details of a contender. */
    public String label() {
        return factory() == DefaultSelectStrategyFactory.INSTANCE ? "sleeps at once" : "spins before it sleeps";
    }
}
