package io.parley.endpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.parley.identity.Identity;
import io.parley.transport.EndpointAddress;
import io.parley.transport.PeerAddress;
import io.parley.transport.Transport;
import io.parley.transport.TransportContext;
import io.parley.transport.TransportProvider;
import io.parley.transport.memory.InMemoryNetwork;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EndpointBuilderTest {

    private final List<Transport> created = new ArrayList<>();

    private static TransportProvider provider(Set<String> schemes, Function<TransportContext, Transport> creation) {
        return new TransportProvider() {
            @Override
            public Set<String> schemes() {
                return schemes;
            }

            @Override
            public Transport create(TransportContext context) {
                return creation.apply(context);
            }
        };
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void start_transportThatCannotBeCreated_closesTheOthers(boolean error) {
        TransportProvider memory = new InMemoryNetwork(1).transportProvider();
        EndpointBuilder builder = Endpoint.builder()
                .identity(Identity.generate())
                .transport(provider(memory.schemes(), context -> {
                    Transport transport = memory.create(context);
                    created.add(transport);
                    return transport;
                }))
                .transport(provider(Set.of("broken"), context -> {
                    if (error) {
                        throw new UnsatisfiedLinkError("no native library");
                    }
                    throw new IllegalStateException("no native library");
                }));
        assertThatThrownBy(builder::start).hasMessage("no native library");
        assertThat(created)
                .singleElement()
                .satisfies(transport -> assertThat(transport.whenClosed()).isDone());
    }

    @Test
    void publicAddresses_precedeThoseOfTheServers() {
        EndpointAddress reachable = EndpointAddress.parse("https://peer.example.org:443");
        EndpointAddress listening = EndpointAddress.parse("mem://alice");
        try (Endpoint endpoint = Endpoint.builder()
                .identity(Identity.generate())
                .transport(new InMemoryNetwork(1).transportProvider())
                .listen(listening)
                .publicAddress(reachable)
                .start()) {
            assertThat(endpoint.peerAddress()).isEqualTo(PeerAddress.of(endpoint.peerId(), reachable, listening));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"tcp://0.0.0.0:9701", "http://[::]:80", "tcp://192.0.2.1:0", "https://peer.example.org"})
    void publicAddress_toWhichNobodyCanConnect_fails(String address) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Endpoint.builder().publicAddress(EndpointAddress.parse(address)))
                .withMessageContaining(address);
    }
}
