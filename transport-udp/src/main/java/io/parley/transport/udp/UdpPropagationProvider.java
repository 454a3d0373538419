package io.parley.transport.udp;

import io.parley.transport.PropagationTransport;
import io.parley.transport.PropagationTransportProvider;
import io.parley.transport.TransportContext;

/** Lets peers on one local network hear each other by UDP multicast. */
public final class UdpPropagationProvider implements PropagationTransportProvider {

    private final UdpSettings settings;

    /** With {@link UdpSettings#DEFAULTS}; for {@link java.util.ServiceLoader}. */
    public UdpPropagationProvider() {
        this(UdpSettings.DEFAULTS);
    }

    /** With these settings; for passing to a peer. */
    public UdpPropagationProvider(UdpSettings settings) {
        this.settings = settings;
    }

    @Override
    public String scheme() {
        return UdpPropagationTransport.SCHEME;
    }

    @Override
    public PropagationTransport create(TransportContext context) {
        return new UdpPropagationTransport(context, settings);
    }
}
