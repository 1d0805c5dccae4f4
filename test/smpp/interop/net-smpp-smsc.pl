# An SMSC by Net::SMPP for one connection: takes the bind and one submit_sm, sends a receipt, waits for its answer and for unbind.
use strict;
use warnings;
use Net::SMPP;

$| = 1;
my $listener = Net::SMPP->new_listen('127.0.0.1', port => 0, smpp_version => 0x34, interface_version => 0x34) or die "cannot listen: $!";
print 'port=' . $listener->sockport . "\n";
my $smpp = $listener->accept or die "cannot accept: $!";
while (my $pdu = $smpp->read_pdu()) {
    if ($pdu->{cmd} == Net::SMPP::CMD_bind_transceiver) {
        print "bind system_id=$pdu->{system_id} version=$pdu->{interface_version}\n";
        $smpp->set_version(0x34);
        $smpp->bind_transceiver_resp(system_id => 'perl', seq => $pdu->{seq});
    } elsif ($pdu->{cmd} == Net::SMPP::CMD_submit_sm) {
        print "submit to=$pdu->{destination_addr} text=$pdu->{short_message}\n";
        $smpp->submit_sm_resp(message_id => 'p-1', seq => $pdu->{seq});
        $smpp->deliver_sm(source_addr => $pdu->{destination_addr}, destination_addr => $pdu->{source_addr}, esm_class => 4,
            data_coding => 0, short_message => 'id:p-1 stat:DELIVRD err:000', async => 1);
    } elsif ($pdu->{cmd} == Net::SMPP::CMD_deliver_sm_resp) {
        print "receipt answered status=$pdu->{status}\n";
    } elsif ($pdu->{cmd} == Net::SMPP::CMD_unbind) {
        $smpp->unbind_resp(seq => $pdu->{seq});
        print "unbound\n";
        exit;
    }
}
