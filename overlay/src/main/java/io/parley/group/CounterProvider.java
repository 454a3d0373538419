package io.parley.group;

/**
 * Declares the counters of a service that is built on groups, such as pipes, so that {@link io.parley.Peer#metrics()} has their names
 * from the start of the peer. Public because the author of such a service implements it. Providers are found by
 * {@link java.util.ServiceLoader} under the name of this interface. The service counts with {@link PeerGroup#count}.
 */
public interface CounterProvider {

    /**
     * Returns the counters. The name of a counter in {@link io.parley.Peer#metrics()} is {@code parley} and the words of its constant, in
     * lower case, separated by dots: {@code REQUESTS_STARTED} is {@code parley.requests.started}. No two providers may declare the same
     * name.
     */
    Class<? extends Enum<?>> counters();
}
