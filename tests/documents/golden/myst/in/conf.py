project = 'Kiln'
