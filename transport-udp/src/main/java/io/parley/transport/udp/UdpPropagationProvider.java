package io.parley.transport.udp;

import io.parley.transport.PropagationTransport;
import io.parley.transport.PropagationTransportProvider;
import io.parley.transport.TransportContext;

/** Creates propagation transports for the local network, by UDP multicast. */
public final class UdpPropagationProvider implements PropagationTransportProvider {

    private final UdpSettings settings;

    /** Uses {@link UdpSettings#DEFAULTS}. For {@link java.util.ServiceLoader}. */
    public UdpPropagationProvider() {
        this(UdpSettings.DEFAULTS);
    }

    /** Uses these settings. For the builder of a peer. */
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
